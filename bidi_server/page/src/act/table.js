// Read a table as headers and rows of texts.

import {attr, integer, trimmed} from '../dom/attributes.js';
import {isElement, textOf} from '../dom/dom.js';
import {collapse} from '../spec/name.js';
import {matchesSelector, selectAll} from '../realm/native.js';

// https://html.spec.whatwg.org/multipage/tables.html#dom-tdth-colspan and #dom-tdth-rowspan
const widest = 1000;
const highest = 65534;

/** @typedef {{text: string}} Cell */

/**
 * @param {Element} element a table, an element with the role of one, or an ancestor of one
 * @param {{headers: boolean}} options whether the first row, or the head, names the columns
 * @returns {{headers: string[], rows: string[][], all: number, there: number} | {blocked: 'not-table'}} `all` is the
 *   total number of rows by `aria-rowcount`, including those of the head, 0 if unknown; `there` is the number of those
 *   in the document
 */
export function readTable(element, options) {
  const table = matchesSelector(element, tables) ? element : selectAll(element, tables)[0];
  if (!table) return {blocked: 'not-table'};
  const {grid, head} = table instanceof HTMLTableElement ? htmlGrid(table) : ariaGrid(table);
  const width = grid.reduce((widest, row) => Math.max(widest, row.length), 0);
  const first = options.headers ? Math.max(head, grid.length ? 1 : 0) : head;
  const names = unique(
    Array.from({length: width}, (_, column) => (options.headers ? nameOf(grid.slice(0, first), column) : '')),
  );
  const rows = grid
    .slice(first)
    .filter((row) => row.some((cell) => cell !== undefined))
    .map((row) => names.map((_, column) => row[column]?.text ?? ''));
  return {headers: names, rows, all: integer(table, 'aria-rowcount') ?? 0, there: grid.length};
}

const tables = 'table, [role="table"], [role="grid"], [role="treegrid"]';

/**
 * Return the stacked headers of a column, without repetitions.
 * @param {(Cell | undefined)[][]} rows @param {number} column
 */
function nameOf(rows, column) {
  const texts = rows.map((row) => row[column]?.text ?? '').filter(Boolean);
  return texts.filter((text, index) => text !== texts[index - 1]).join(' / ');
}

/** @param {string[]} names */
function unique(names) {
  /** @type {Set<string>} */
  const taken = new Set();
  return names.map((name, column) => {
    const wanted = name || `Column ${column + 1}`;
    let free = wanted;
    for (let count = 2; taken.has(free); count++) free = `${wanted} (${count})`;
    taken.add(free);
    return free;
  });
}

/** https://html.spec.whatwg.org/multipage/tables.html#forming-a-table @param {HTMLTableElement} table */
function htmlGrid(table) {
  // Spans end with their group of rows. The head comes first and the foot last, wherever they are in the source.
  /** @type {Map<Element | null, Element[][]>} */
  const groups = new Map();
  for (const row of table.rows) {
    const group = groups.get(row.parentElement);
    if (group) group.push([...row.cells]);
    else groups.set(row.parentElement, [[...row.cells]]);
  }
  const grid = [...groups.values()].flatMap((rows) => place(rows));
  return {grid, head: table.tHead ? table.tHead.rows.length : 0};
}

/** @param {Element} table */
function ariaGrid(table) {
  const own = (/** @type {string} */ selector) =>
    [...table.querySelectorAll(selector)].filter((each) => each.parentElement?.closest(tables) === table);
  const cells = own('[role="cell"], [role="gridcell"], [role="columnheader"], [role="rowheader"]');
  const parts = new Map(own('[role="row"]').map((row) => [row, /** @type {Element[]} */ ([])]));
  for (const cell of cells) parts.get(/** @type {Element} */ (cell.closest('[role="row"]')))?.push(cell);
  const rows = inOrder(parts);
  let head = 0;
  while (head < rows.length && rows[head].length && rows[head].every((cell) => attr(cell, 'role') === 'columnheader'))
    head++;
  const columns = cells.map((cell) => integer(cell, 'aria-colindex'));
  if (!cells.length || columns.includes(undefined)) return {grid: place(rows), head};
  // Of many columns only the visible ones may be in the document, and not in every row.
  const there = [...new Set(/** @type {number[]} */ (columns))].sort((a, b) => a - b);
  const places = new Map(there.map((column, index) => [column, index]));
  return {grid: place(rows, (cell) => places.get(/** @type {number} */ (integer(cell, 'aria-colindex')))), head};
}

/**
 * Return the rows sorted by their numbers: grids create rows in any order while they scroll. A row with the same number
 * as another one, but other columns, is part of that row: grids render columns that don't scroll separately.
 * @param {Map<Element, Element[]>} parts the cells of each row
 */
function inOrder(parts) {
  /** @type {{number: number | undefined, cells: Element[]}[]} */
  const rows = [];
  /** @type {Map<number, Element[]>} */
  const numbered = new Map();
  for (const [row, cells] of parts) {
    const number = integer(row, 'aria-rowindex');
    const same = number === undefined ? undefined : numbered.get(number);
    if (same && areApart(same, cells)) {
      same.push(...cells);
      continue;
    }
    rows.push({number, cells});
    if (number !== undefined) numbered.set(number, cells);
  }
  if (rows.every(({number}) => number !== undefined)) rows.sort((a, b) => Number(a.number) - Number(b.number));
  return rows.map(({cells}) => cells);
}

/**
 * Whether two rows number the columns of all their cells, and have no column in common.
 * @param {Element[]} some @param {Element[]} others
 */
function areApart(some, others) {
  const columns = [...some, ...others].map((cell) => integer(cell, 'aria-colindex'));
  return !columns.includes(undefined) && new Set(columns).size === columns.length;
}

/**
 * Return the grid of cells; a cell that spans several positions is at each of them.
 * @param {Element[][]} rows
 * @param {(cell: Element) => number | undefined} [columnOf] returns the column of a cell that has a number
 */
function place(rows, columnOf) {
  /** @type {(Cell | undefined)[][]} */
  const grid = rows.map(() => []);
  rows.forEach((cells, y) => {
    let x = 0;
    for (const element of cells) {
      while (grid[y][x]) x++;
      x = columnOf?.(element) ?? x;
      const cell = {text: cellText(element)};
      const across = span(element, 'colspan', 1, widest);
      const down = Math.min(span(element, 'rowspan', rows.length - y, highest), rows.length - y);
      for (let row = y; row < y + down; row++)
        for (let column = x; column < x + across; column++) grid[row][column] ??= cell;
      x += across;
    }
  });
  return grid.map((row) => Array.from(row));
}

/**
 * @param {Element} element @param {'colspan' | 'rowspan'} name
 * @param {number} zero meaning of 0 @param {number} most
 */
function span(element, name, zero, most) {
  const value = integer(element, element instanceof HTMLTableCellElement ? name : `aria-${name}`);
  if (value === 0) return zero;
  return value === undefined || value < 0 ? 1 : Math.min(value, most);
}

/**
 * Return the text of a cell, or else the values of its fields, or the alternative texts of its pictures.
 * @param {Element} element
 */
function cellText(element) {
  const fields = [...selectAll(element, 'input:not([type=hidden]), select, textarea')].filter(isElement);
  let text = collapse(textOf(element));
  // Chromium includes every option in the text.
  for (const field of fields)
    if (field instanceof HTMLSelectElement) text = collapse(text.replace(collapse(textOf(field)), ''));
  return (
    text ||
    fields.map(valueFrom).filter(Boolean).join(', ') ||
    [...selectAll(element, pictures)].filter(isElement).map(altOf).filter(Boolean).join(', ')
  );
}

const pictures = 'img[alt], svg[aria-label], [role="img"][aria-label]';

/** @param {Element} picture */
const altOf = (picture) => trimmed(picture, 'alt') || trimmed(picture, 'aria-label');

/** @param {Element} field */
function valueFrom(field) {
  if (field instanceof HTMLSelectElement) return [...field.selectedOptions].map((option) => option.label).join(', ');
  if (field instanceof HTMLInputElement && /^(checkbox|radio)$/.test(field.type)) return String(field.checked);
  return field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement ? field.value : '';
}

// A table as records: one object for each row, its keys the headers.

import {attr, integer} from './attributes.js';
import {isElement, textOf} from './dom.js';
import {collapse} from './name.js';
import {matchesSelector, selectAll} from './native.js';

// https://html.spec.whatwg.org/multipage/tables.html#dom-tdth-colspan and #dom-tdth-rowspan
const widest = 1000;
const highest = 65534;

/** @typedef {{text: string}} Cell */

/**
 * @param {Element} element a table, something with the role of one, or what one is in
 * @param {{headers: boolean}} options whether the first row, or the head, names the columns
 * @returns {{data: Record<string, string>[], headers: string[]} | {blocked: 'not-table'}}
 */
export function readTable(element, options) {
  const table = matchesSelector(element, tables) ? element : selectAll(element, tables)[0];
  if (!table) return {blocked: 'not-table'};
  const {grid, head} = table instanceof HTMLTableElement ? htmlGrid(table) : ariaGrid(table);
  const width = Math.max(0, ...grid.map((row) => row.length));
  const first = options.headers ? Math.max(head, grid.length ? 1 : 0) : head;
  const names = unique(Array.from({length: width}, (_, column) => (options.headers ? nameOf(grid.slice(0, first), column) : '')));
  const data = grid
    .slice(first)
    .filter((row) => row.some((cell) => cell !== undefined))
    .map((row) => Object.fromEntries(names.map((name, column) => [name, row[column]?.text ?? ''])));
  return {data, headers: names};
}

const tables = 'table, [role="table"], [role="grid"], [role="treegrid"]';

/** Headers above each other, each said once. @param {(Cell | undefined)[][]} rows @param {number} column */
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
  // Spans end with their group of rows. The head comes first and the foot last, wherever they stand.
  /** @type {Map<Element | null, Element[][]>} */
  const groups = new Map();
  for (const row of table.rows) {
    const group = groups.get(row.parentElement) ?? [];
    groups.set(row.parentElement, [...group, [...row.cells]]);
  }
  const grid = [...groups.values()].flatMap(place);
  return {grid, head: table.tHead ? table.tHead.rows.length : 0};
}

/** @param {Element} table */
function ariaGrid(table) {
  const own = (/** @type {string} */ selector) => [...table.querySelectorAll(selector)].filter((each) => each.parentElement?.closest(tables) === table);
  const cells = own('[role="cell"], [role="gridcell"], [role="columnheader"], [role="rowheader"]');
  const rows = own('[role="row"]').map((row) => cells.filter((cell) => cell.closest('[role="row"]') === row));
  let head = 0;
  while (head < rows.length && rows[head].length && rows[head].every((cell) => attr(cell, 'role') === 'columnheader')) head++;
  return {grid: place(rows), head};
}

/** Cells at their places, those that span several at each of them. @param {Element[][]} rows */
function place(rows) {
  /** @type {(Cell | undefined)[][]} */
  const grid = rows.map(() => []);
  rows.forEach((cells, y) => {
    let x = 0;
    for (const element of cells) {
      while (grid[y][x]) x++;
      const cell = {text: cellText(element)};
      const across = span(element, 'colspan', 1, widest);
      const down = Math.min(span(element, 'rowspan', rows.length - y, highest), rows.length - y);
      for (let row = y; row < y + down; row++) for (let column = x; column < x + across; column++) grid[row][column] ??= cell;
      x += across;
    }
  });
  return grid.map((row) => Array.from(row));
}

/** @param {Element} element @param {'colspan' | 'rowspan'} name @param {number} zero what 0 means @param {number} most */
function span(element, name, zero, most) {
  const value = integer(element, element instanceof HTMLTableCellElement ? name : `aria-${name}`);
  if (value === 0) return zero;
  return value === undefined || value < 0 ? 1 : Math.min(value, most);
}

/** @param {Element} element */
function cellText(element) {
  const fields = [...selectAll(element, 'input:not([type=hidden]), select, textarea')].filter(isElement);
  return collapse(textOf(element)) || fields.map(valueOf).filter(Boolean).join(', ');
}

/** @param {Element} field */
function valueOf(field) {
  if (field instanceof HTMLSelectElement) return [...field.selectedOptions].map((option) => option.label).join(', ');
  if (field instanceof HTMLInputElement && /^(checkbox|radio)$/.test(field.type)) return String(field.checked);
  return field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement ? field.value : '';
}

// What widely used libraries write into pages. Each line names the npm package, or the site, that it is from; each has
// its example in tests/page/test_libraries.py.

/**
 * Classes of elements that a person drags, resizes or selects as a whole.
 * @type {Record<string, string>}
 */
export const handles = {
  'ui-draggable': 'jquery-ui (Node-RED)',
  'ui-sortable-handle': 'jquery-ui',
  'ui-resizable-handle': 'jquery-ui',
  'ui-selectee': 'jquery-ui',
  'cdk-drag': '@angular/cdk',
  'react-draggable': 'react-draggable',
  'drag-handle': 'sortablejs',
};

/**
 * IDs that a library numbers, so that they are others after the next load.
 * @type {Record<string, RegExp>}
 */
const numbered = {
  'ember-source': /^ember.*\d/,
  extjs: /^ext-.*\d/,
  yui: /^yui_.*\d/,
  'jquery-ui': /^ui-id-\d/,
  'node-red': /^[\da-f]{16}$/,
  gwt: /^gwt-.*\d/,
  '@mui/material': /^mui-.*\d/,
  '@radix-ui/react-dialog': /^radix-.*\d/,
  '@headlessui/react': /^headlessui-.*\d/,
  'react-aria': /^react-aria.*\d/,
  downshift: /^downshift-.*\d/,
  '@angular/core': /^ng-.*\d/,
  '@angular/cdk': /^cdk-.*\d/,
  '@angular/material': /^mat-.*\d/,
  'react (useId)': /^:|:$|[:«»]/,
  'any counter': /\d{4,}/,
  'any UUID': /[0-9a-f]{8}-[0-9a-f]{4}-/,
  'any long random word': /(?=[\w-]*\d[\w-]*[a-z][\w-]*\d)[\w-]{20,}/,
};

/**
 * Classes and IDs that a library draws at random, or computes from a style.
 * @type {Record<string, RegExp>}
 */
const drawn = {
  '@codemirror/view': /^\u037c/,
  astro: /^astro-/,
  '@emotion/css': /^(?:css|emotion)-/,
  jss: /^jss-/,
  'styled-jsx': /^jsx-/,
  'styled-components': /^sc-/,
  svelte: /^svelte-/,
  'any word with digits between its letters': /(?:^|[-_])(?=[a-z\d]{5})[a-z]*\d+[a-z]+\d[a-z\d]*$/,
};

/**
 * Classes of an icon font whose text names the picture.
 * @type {Record<string, RegExp>}
 */
const iconFonts = {'material-icons': /^material-(?:icons|symbols)/};

/**
 * Target classes, which Emotion adds to its own: eksftaj2.
 * https://emotion.sh/docs/styled#targeting-another-emotion-component
 */
const target = /^e[a-z\d]{6,8}\d$/;

/** @param {Record<string, RegExp>} signs */
const anyOf = (signs) => {
  const sources = Object.values(signs).map(({source}) => source);
  const any = new RegExp(sources.join('|'), 'i'); // one expression: it is tested for each class of a page
  return (/** @type {string} */ word) => any.test(word);
};

/** Whether an ID or a name is numbered by a library. */
export const isNumbered = anyOf(numbered);

/** Whether a class or an ID is random. */
export const isDrawn = anyOf(drawn);

/** Whether a class makes an element show the picture that its text names. */
export const isIconFont = anyOf(iconFonts);

/** Whether a class among others of its element is only a target for Emotion. @param {string} word @param {string[]} all */
export const isTarget = (word, all) => target.test(word) && all.some((each) => each.startsWith('css-'));

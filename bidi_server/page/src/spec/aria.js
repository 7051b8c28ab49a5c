// WAI-ARIA's definitions of roles. https://www.w3.org/TR/wai-aria-1.2/#role_definitions and, for newer roles,
// https://w3c.github.io/aria/, https://www.w3.org/TR/graphics-aria-1.0/, https://www.w3.org/TR/dpub-aria-1.1/

/** @param {string} names */
const set = (names) => new Set(names.split(/\s+/).filter(Boolean));

const digital = `
  doc-abstract doc-acknowledgments doc-afterword doc-appendix doc-backlink doc-biblioentry doc-bibliography
  doc-biblioref doc-chapter doc-colophon doc-conclusion doc-cover doc-credit doc-credits doc-dedication
  doc-endnote doc-endnotes doc-epigraph doc-epilogue doc-errata doc-example doc-footnote doc-foreword doc-glossary
  doc-glossref doc-index doc-introduction doc-noteref doc-notice doc-pagebreak doc-pagefooter doc-pageheader
  doc-pagelist doc-part doc-preface doc-prologue doc-pullquote doc-qna doc-subtitle doc-tip doc-toc
`;

/** Every role that an author may use, so without the abstract roles. */
export const authorRoles = set(`
  alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox
  comment complementary contentinfo definition deletion dialog directory document emphasis feed figure form
  generic graphics-document graphics-object graphics-symbol grid gridcell group heading image img insertion link
  list listbox listitem log main mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter
  navigation none note option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader
  scrollbar search searchbox sectionfooter sectionheader separator slider spinbutton status strong subscript
  suggestion superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid
  treeitem ${digital}
`);

/** https://www.w3.org/TR/wai-aria-1.2/#namefromcontent; `row` only if it is a control, as in browsers. */
export const namedFromContent = set(`
  button cell checkbox columnheader comment gridcell heading link menuitem menuitemcheckbox menuitemradio option
  radio rowheader switch tab tooltip treeitem doc-backlink doc-biblioref doc-glossref doc-noteref doc-subtitle
  summary
`);

/** Roles that their first heading names in ARIA 1.3, without `article`, which would show every title twice. */
export const namedFromHeading = set('alertdialog dialog');

/** https://www.w3.org/TR/wai-aria-1.2/#childrenArePresentational */
export const leafRoles = set(`
  button checkbox graphics-symbol img math menuitemcheckbox menuitemradio meter option progressbar radio scrollbar
  separator slider switch tab
`);

/** Controls that always get a ref. */
export const controlRoles = set(`
  button checkbox combobox link menuitem menuitemcheckbox menuitemradio radio searchbox slider spinbutton switch
  tab textbox doc-backlink doc-biblioref doc-glossref doc-noteref
`);

/** Parts that get a ref inside of an interactive container. */
export const itemRoles = set('cell columnheader gridcell listitem option row rowheader treeitem');

/** Containers whose parts are interactive. */
export const interactiveContainers = set('combobox grid listbox menu menubar radiogroup tablist tree treegrid');

/** Controls that take the clicks on everything inside of them. */
export const coveringRoles = set(`
  button checkbox link menuitem menuitemcheckbox menuitemradio option radio slider switch tab doc-backlink
  doc-biblioref doc-glossref doc-noteref
`);

/** Roles that would split a sentence into rows, or wrap elements with rows, without information for an agent. */
export const plainRoles = set('code emphasis mark sectionfooter sectionheader strong subscript superscript time');

/** Roles without information if they contain other rows: a paragraph of controls, the body of a table. */
export const wrappers = set('paragraph rowgroup');

/** Roles of elements that may scroll and are worth a check. */
export const mayScroll = set(`
  article complementary dialog feed generic grid group list listbox log main menu navigation region table tabpanel
  textbox tree treegrid
`);

/** Roles without information if they are empty. */
export const quietWhenEmpty = set(`
  article banner blockquote caption complementary contentinfo definition deletion figure form generic group
  insertion list listitem log main navigation note paragraph region rowgroup search status term timer alert
  tooltip time
`);

/** Those of them that form the page's structure: a requested snapshot shows them even if they are empty. */
export const countedWhenEmpty = set(`
  alert article banner blockquote complementary contentinfo definition figure form group list listitem log main
  navigation note region rowgroup search status term timer tooltip
`);

/**
 * https://www.w3.org/TR/wai-aria-1.2/#global_states, without those that are prohibited on roles that cannot be named.
 */
export const globalAttributes = set(`
  aria-atomic aria-braillelabel aria-brailleroledescription aria-busy aria-controls aria-current aria-describedby
  aria-description aria-details aria-dropeffect aria-flowto aria-grabbed aria-keyshortcuts aria-label
  aria-labelledby aria-live aria-owns aria-relevant aria-roledescription
`);

const widgets = 'checkbox combobox grid listbox radiogroup slider spinbutton textbox searchbox switch tree treegrid';

/** Roles that support each state, https://www.w3.org/TR/wai-aria-1.2/#state_prop_def. */
export const supports = {
  checked: set('checkbox menuitemcheckbox menuitemradio option radio switch treeitem'),
  selected: set('cell columnheader gridcell option row rowheader tab treeitem'),
  pressed: set('button'),
  level: set('heading listitem row treeitem comment'),
  required: set(
    'checkbox columnheader combobox gridcell listbox radiogroup rowheader searchbox spinbutton switch textbox tree ' +
      'treegrid',
  ),
  readonly: set(`${widgets} columnheader gridcell menuitemcheckbox menuitemradio rowheader`),
  invalid: set(`${widgets} application columnheader gridcell rowheader`),
  range: set('meter progressbar scrollbar separator slider spinbutton'),
  rows: set('grid table treegrid'),
  sort: set('columnheader rowheader'),
  modal: set('dialog alertdialog'),
  multiselectable: set('grid listbox tablist tree treegrid'),
};

/** Default orientation of each role. */
export const defaultOrientation = new Map(
  Object.entries({
    combobox: 'vertical',
    listbox: 'vertical',
    menu: 'vertical',
    menubar: 'horizontal',
    scrollbar: 'vertical',
    separator: 'horizontal',
    slider: 'horizontal',
    tablist: 'horizontal',
    toolbar: 'horizontal',
    tree: 'vertical',
  }),
);

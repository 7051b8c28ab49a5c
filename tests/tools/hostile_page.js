// A page that puts a text into every place that it has. `hostile` and `raw`, a server's address, stand before it.

const h = (place) => `@${place}@${hostile}`;
const url = (place) => encodeURIComponent(h(place).toWellFormed());
const put = (html, attributes = {}, text = null, parent = document.body) => {
  parent.insertAdjacentHTML('beforeend', html);
  const element = parent.lastElementChild;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== null) element.textContent = text;
  return element;
};
const attempt = (action) => { try { return action(); } catch {} };
document.title = h('title');
put('<h1>', {}, h('heading'));
put('<p>', {}, h('paragraph'));
put('<pre tabindex=0>', {}, h('pre'));
put('<button id=b>', {}, h('button')).onclick = () => { console.error(h('clickError')); heard.textContent = h('changed') + heard.id; };
put('<p id=heard>');
put('<button id=labelled>', {'aria-label': h('ariaLabel'), title: h('titleAttribute'), 'aria-description': h('description')});
put('<img width=20 height=20 src="data:,">', {alt: h('alt')});
put('<input id=field>', {placeholder: h('placeholder'), 'aria-label': h('fieldName')}).value = h('value').replace(/[\r\n]/g, ' ');
put('<textarea id=area aria-label=Area>').value = h('textarea');
put('<div id=rich contenteditable role=textbox aria-label=Rich><p></p></div>').firstChild.textContent = h('richText');
put('<div id=slider role=slider tabindex=0 aria-valuenow=5 aria-label=Slider>', {'aria-valuetext': h('valueText')});
put('<div role=region tabindex=0 aria-label=Region>', {'aria-roledescription': h('roleDescription')}, 'x');
const list = put('<select id=list aria-label=List>', {'aria-label': h('selectName')});
for (const name of ['optionA', 'optionB']) put('<option>', {value: h(`${name}Value`)}, h(name), list);
put('<option>', {label: h('optionLabel')}, '', list);
const table = put('<table id=table><caption></caption><tbody><tr><th><th>Other<tr><td><td></table>');
table.querySelector('caption').textContent = h('caption');
table.querySelector('th').textContent = h('columnHeader');
for (const cell of table.querySelectorAll('td')) cell.textContent = h('cell');
put('<a id=link>', {href: `#${h('href')}`}, h('link'));
put('<i class=icon tabindex=0 style="display:block;width:20px;height:20px">', {class: h('class'), 'data-icon': h('dataIcon'), id: h('id')});
put('<div id=covered-place style="position:relative;height:30px"><button id=covered>Covered</button></div>');
put('<div style="position:absolute;inset:0;background:red">', {class: h('coverClass'), id: h('coverId'), 'aria-label': h('coverName'), role: 'dialog'}, h('cover'), document.getElementById('covered-place'));
put('<iframe>', {title: h('frameTitle'), name: h('frameName'), srcdoc: '<title></title><p>In the frame</p>'});
put('<details><summary></summary>Inside</details>').firstChild.textContent = h('summary');
put('<svg role=img width=20 height=20><title></title><rect width=20 height=20 /></svg>').querySelector('title').textContent = h('svgTitle');
put('<input type=file id=file>', {'aria-label': h('fileInput')});
put('<input type=file id=file2>', {'aria-label': h('fileInput2')});
put('<div role=button tabindex=0 aria-pressed=true>', {'aria-keyshortcuts': h('keys'), 'data-testid': h('testId')}, 'Keys');
put('<div draggable=true id=drag>', {}, h('dragged'));
attempt(() => put('<b>').append(document.createElement(`x-${h('tag')}`)));
window.name = h('windowName');
attempt(() => { document.cookie = `${h('cookieName')}=${h('cookieValue')}`; });
document.cookie = 'plain=@plainCookie@';
localStorage.setItem(h('storageKey'), h('storageValue'));
attempt(() => history.replaceState(null, '', `?q=${h('query')}#${h('hash')}`));

for (const method of ['log', 'info', 'warn', 'error', 'debug', 'group', 'groupCollapsed', 'trace', 'dir', 'dirxml', 'count', 'countReset', 'timeLog'])
  console[method](h(`console-${method}`));
console.time(h('consoleTimer')); console.timeEnd(h('consoleTimer'));
console.assert(false, h('consoleAssert'));
console.table([{[h('tableKey')]: h('tableValue')}]);
console.log('%s %o', h('consoleFormat'), {[h('objectKey')]: 1}, new Map([[h('mapKey'), 1]]));
console.log([h('arrayItem')], new Set([h('setItem')]));
console.log(Symbol(h('symbol')), new Date(NaN), document.body, () => 1);
console.log(attempt(() => new RegExp(h('regexp'))));
const named = Object.assign(new Error(h('errorMessage')), {name: h('errorName')});
console.error('Said:', named);
console.error({[h('errorKey')]: new Error(h('nestedError'))});
const throwing = {[h('functionName')]() { console.error('In a function'); throw new Error(h('thrownError')); }}[h('functionName')];
setTimeout(throwing);
setTimeout(() => { throw h('thrownText'); });
setTimeout(() => { throw {toString: () => h('thrownObject')}; });
Promise.reject(new Error(h('rejected')));
attempt(() => (0, eval)(`console.error('Elsewhere');\n//# sourceURL=${h('sourceUrl')}`));
const worker = new Worker(URL.createObjectURL(new Blob([`console.log(${JSON.stringify(h('workerConsole'))}); setTimeout(() => { throw new Error(${JSON.stringify(h('workerError'))}); });`])));

fetch(`/echo?${url('requestQuery')}`, {method: 'POST', body: h('requestBody'), headers: {'content-type': 'text/plain', ...attempt(() => new Headers({'x-sent': h('sentHeader')})) ? {'x-sent': h('sentHeader')} : {}}});
fetch(raw + '/status').catch(() => {});
fetch(raw + '/refused', {headers: {'x-a': '1'}}).catch(() => {});
fetch(`${raw}/refused/${url('failedUrl')}`).catch(() => {});
attempt(() => new WebSocket(`${raw.replace('http', 'ws')}/refused/${url('socketUrl')}`));

put('<button id=alert>', {}, 'Alert').onclick = () => { alert(h('alert')); };
put('<button id=prompt>', {}, 'Prompt').onclick = () => { heard.textContent = prompt(h('prompt'), h('promptDefault')); };
put('<button id=popup>', {}, 'Popup').onclick = () => {
  const popup = open('', h('popupName'));
  popup.document.title = h('popupTitle');
};
put('<a id=download href="data:text/plain,x">', {download: h('downloadName')}, 'Download');
put('<a id=next>', {href: `/next?${url('nextUrl')}`}, 'Next');
put('<button id=rename>', {}, h('before')).onclick = (event) => { event.target.textContent = h('after'); };
put('<p id=end>', {}, 'End of the page');

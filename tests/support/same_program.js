// Exit with 1 if a script is not the program that another is: node same_program.js TYPESCRIPT SCRIPT OTHER SCRIPT OTHER …

const {readFileSync} = require('node:fs');

const [typescript, ...files] = process.argv.slice(2);
const ts = require(typescript);

const escaped = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Return the kinds of a script's syntax nodes in order, and what is written in those without children. */
function program(file) {
  const text = readFileSync(file, 'utf8').replace(/[^\0-\x7f]/g, escaped);
  const script = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  if (script.parseDiagnostics.length) throw new Error(`${file}: ${script.parseDiagnostics[0].messageText}`);
  const nodes = [];
  const visit = (node) => {
    const count = nodes.push(ts.SyntaxKind[node.kind]);
    ts.forEachChild(node, visit);
    if (nodes.length === count) nodes.push(node.text ?? '');
  };
  visit(script);
  return nodes;
}

for (let index = 0; index < files.length; index += 2) {
  const [one, other] = files.slice(index, index + 2).map(program);
  const longer = one.length > other.length ? one : other;
  const place = longer.findIndex((_, each) => one[each] !== other[each]);
  if (place < 0) continue;
  const [before, after] = [one, other].map((nodes) => nodes.slice(Math.max(0, place - 5), place + 5).join(' '));
  console.error(`${files[index]} is another program in its compact form:\n${after}\nwhere there was\n${before}`);
  process.exitCode = 1;
}

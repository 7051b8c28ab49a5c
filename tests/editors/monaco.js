import * as monaco from 'monaco-editor';

const box = document.createElement('div');
box.style.cssText = 'width: 700px; height: 300px';
document.body.append(box);
const editContext = new URLSearchParams(location.search).has('textarea') ? false : undefined;
const editor = monaco.editor.create(box, {value: 'first\nlast', language: 'python', editContext});
window.held = () => editor.getValue();

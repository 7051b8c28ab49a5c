import ace from 'ace-builds';
import 'ace-builds/src-noconflict/mode-python';

const box = document.createElement('div');
box.style.cssText = 'width: 700px; height: 300px';
box.textContent = 'first\nlast';
document.body.append(box);
const editor = ace.edit(box, {mode: 'ace/mode/python', useWorker: false});
window.held = () => editor.getValue();

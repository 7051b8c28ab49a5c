import CodeMirror from 'codemirror5';
import 'codemirror5/addon/edit/closebrackets';
import 'codemirror5/lib/codemirror.css';
import 'codemirror5/mode/python/python';

const editor = CodeMirror(document.body, {value: 'first\nlast', mode: 'python', autoCloseBrackets: true});
window.held = () => editor.getValue();

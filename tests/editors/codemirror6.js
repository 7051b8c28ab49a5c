import {python} from '@codemirror/lang-python';
import {basicSetup, EditorView} from 'codemirror';

const view = new EditorView({doc: 'first\nlast', extensions: [basicSetup, python()], parent: document.body});
window.held = () => view.state.doc.toString();

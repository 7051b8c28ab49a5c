import {exampleSetup} from 'prosemirror-example-setup';
import {DOMParser} from 'prosemirror-model';
import {schema} from 'prosemirror-schema-basic';
import {EditorState} from 'prosemirror-state';
import {EditorView} from 'prosemirror-view';

const source = document.createElement('div');
source.innerHTML = '<p>first</p><p>last</p>';
const doc = DOMParser.fromSchema(schema).parse(source);
const view = new EditorView(document.body, {state: EditorState.create({doc, plugins: exampleSetup({schema, menuBar: false})})});
window.held = () => view.state.doc.textBetween(0, view.state.doc.content.size, '\n', '\n');

import React from 'react';
import {createRoot} from 'react-dom/client';
import {createEditor, Node} from 'slate';
import {withHistory} from 'slate-history';
import {Editable, Slate, withReact} from 'slate-react';

const editor = withHistory(withReact(createEditor()));
const paragraphs = ['first', 'last'].map((text) => ({type: 'paragraph', children: [{text}]}));
window.held = () => editor.children.map((node) => Node.string(node)).join('\n');
createRoot(document.body.appendChild(document.createElement('div'))).render(
  <Slate editor={editor} initialValue={paragraphs}><Editable placeholder="A note" /></Slate>,
);

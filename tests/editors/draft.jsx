import {ContentState, Editor, EditorState} from 'draft-js';
import 'draft-js/dist/Draft.css';
import React from 'react';
import {createRoot} from 'react-dom/client';

function Note() {
  const [state, setState] = React.useState(EditorState.createWithContent(ContentState.createFromText('first\nlast')));
  window.held = () => state.getCurrentContent().getPlainText('\n');
  return <Editor editorState={state} onChange={setState} />;
}
createRoot(document.body.appendChild(document.createElement('div'))).render(<Note />);

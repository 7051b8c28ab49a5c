import {Editor} from '@tiptap/core';
import StarterKit from '@tiptap/starter-kit';

const editor = new Editor({element: document.body, extensions: [StarterKit], content: '<p>first</p><p>last</p>'});
window.held = () => editor.getText({blockSeparator: '\n'});

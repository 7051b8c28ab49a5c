import {createEmptyHistoryState, registerHistory} from '@lexical/history';
import {HeadingNode, QuoteNode, registerRichText} from '@lexical/rich-text';
import {$createParagraphNode, $createTextNode, $getRoot, createEditor} from 'lexical';

const box = document.createElement('div');
box.contentEditable = 'true';
document.body.append(box);
const editor = createEditor({nodes: [HeadingNode, QuoteNode]});
editor.setRootElement(box);
registerRichText(editor);
registerHistory(editor, createEmptyHistoryState(), 300);
editor.update(() => {
  for (const text of ['first', 'last']) $getRoot().append($createParagraphNode().append($createTextNode(text)));
});
const lines = () => $getRoot().getChildren().map((node) => node.getTextContent());
window.held = () => editor.getEditorState().read(lines).join('\n');

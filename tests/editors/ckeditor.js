import {Autoformat, Bold, ClassicEditor, Essentials, Heading, Italic, List, Paragraph} from 'ckeditor5';
import 'ckeditor5/ckeditor5.css';

const box = document.createElement('div');
box.innerHTML = '<p>first</p><p>last</p>';
document.body.append(box);
const plugins = [Autoformat, Bold, Essentials, Heading, Italic, List, Paragraph];
ClassicEditor.create(box, {licenseKey: 'GPL', plugins, toolbar: ['bold', 'italic']}).then((editor) => {
  const lines = (block) => [...block.getChildren()].map((part) => part.data ?? '\n').join('');
  window.held = () => [...editor.model.document.getRoot().getChildren()].map(lines).join('\n');
});

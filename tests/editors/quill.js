import Quill from 'quill';
import 'quill/dist/quill.snow.css';

const box = document.createElement('div');
box.innerHTML = '<p>first</p><p>last</p>';
document.body.append(box);
const editor = new Quill(box, {theme: 'snow'});
window.held = () => editor.getText().replace(/\n$/, '');

import tinymce from 'tinymce';
import 'tinymce/icons/default';
import 'tinymce/models/dom';
import 'tinymce/skins/content/default/content.js';
import 'tinymce/skins/ui/oxide/content.js';
import 'tinymce/skins/ui/oxide/skin.js';
import 'tinymce/themes/silver';

const box = document.createElement('textarea');
box.value = '<p>first</p><p>last</p>';
document.body.append(box);
tinymce.init({target: box, license_key: 'gpl', menubar: false}).then(([editor]) => {
  window.held = () => editor.getContent({format: 'text'});
});

// The page that shows a view in several previews side by side. They share a token.
import './beside.css';
import { token } from './boot/boot';

const path = new URLSearchParams(location.search).get('path') ?? '/';
for (const frame of document.querySelectorAll('iframe')) {
  frame.src = `${frame.dataset.origin}${path.startsWith('/') ? path : '/'}#token=${token}`;
}

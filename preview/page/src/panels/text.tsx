// A stand-in for the text panel.
import { renderMarkdown, textUtil, type PanelProps } from '@grafana/data';
import { variables } from '../services/variables';

export function TextPanel({ options }: PanelProps<{ mode?: string; content?: string }>) {
  const content = variables.replace(options.content ?? '');
  if (options.mode === 'code') {
    return <pre>{content}</pre>;
  }
  const html = options.mode === 'html' ? textUtil.sanitizeTextPanelContent(content) : renderMarkdown(content);
  return <div className="markdown-html" style={{ height: '100%', overflow: 'auto' }} dangerouslySetInnerHTML={{ __html: html }} />;
}

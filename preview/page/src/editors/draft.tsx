// A field of text whose change takes effect when the field is left, or with Enter.
import { Input, TextArea } from '@grafana/ui';
import { useEffect, useState } from 'react';

interface DraftProps {
  text: string;
  commit: (text: string) => void;
  isArea?: boolean;
  rows?: number;
  [attribute: string]: unknown;
}

export function Draft({ text, commit, isArea, rows, ...rest }: DraftProps) {
  const [draft, setDraft] = useState(text);
  useEffect(() => setDraft(text), [text]);
  const finish = () => {
    if (draft !== text) {
      setDraft(text); // which stays if the change is not valid
      commit(draft);
    }
  };
  const change = (e: { currentTarget: { value: string } }) => setDraft(e.currentTarget.value);
  const shared = { ...rest, value: draft, onChange: change, onBlur: finish };
  return isArea ? <TextArea {...shared} rows={rows ?? 5} /> : <Input {...shared} onKeyDown={(e) => e.key === 'Enter' && finish()} />;
}

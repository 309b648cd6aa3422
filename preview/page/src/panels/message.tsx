// What a panel shows that has nothing to draw.
import { LoadingState, type PanelData } from '@grafana/data';
import { useTheme2 } from '@grafana/ui';

export function Message({ data, otherwise, nothing = 'No data' }: { data: PanelData; otherwise: string; nothing?: string }) {
  const theme = useTheme2();
  const text =
    data.error?.message ?? (data.state === LoadingState.Loading ? 'Loading…' : data.series.some((f) => f.length) ? otherwise : nothing);
  return (
    <div style={{ display: 'grid', placeItems: 'center', height: '100%', color: theme.colors.text.secondary, textAlign: 'center' }}>
      {text}
    </div>
  );
}

// The editor of annotation queries.
import { type AnnotationQuery, type DataQuery, type DataSourceApi, type DataSourceInstanceSettings } from '@grafana/data';
import { Button } from '@grafana/ui';
import { useKept } from '../refresh/kept';
import { useTimeRange } from './address';
import { Boundary } from './boundary';
import { FramesView } from './frames';
import { useRun } from './queryrunpane';

export function AnnotationPane({ instance, settings }: { instance: DataSourceApi; settings: DataSourceInstanceSettings }) {
  const { annotations } = instance;
  const first = (): AnnotationQuery => ({
    name: 'Annotations',
    enable: true,
    iconColor: 'red',
    datasource: { type: settings.type, uid: settings.uid },
    target: { refId: 'Anno' },
    ...annotations?.getDefaultQuery?.(),
  });
  const [annotation, setAnnotation] = useKept(`annotation:${settings.type}`, first);
  const { data, run } = useRun(instance);
  const range = useTimeRange();
  if (!annotations) {
    return 'annotationQuery' in instance ? (
      <p>The preview does not call annotationQuery, which is deprecated: annotations need the property "annotations".</p>
    ) : (
      <p>The data source has no annotations: its class has no property "annotations".</p>
    );
  }
  const Editor = annotations.QueryEditor ?? instance.components?.QueryEditor;
  const prepared = annotations.prepareAnnotation?.(annotation) ?? annotation;
  const query = () => annotations.prepareQuery?.(prepared) ?? { refId: 'Anno', ...prepared.target };
  return (
    <>
      {Editor && (
        <Boundary what="the annotation editor" dependencies={[Editor, annotation]}>
          <Editor
            datasource={instance}
            query={{ refId: 'Anno', ...prepared.target } as DataQuery}
            annotation={prepared}
            onAnnotationChange={setAnnotation}
            data={data}
            range={data?.timeRange ?? range}
            onChange={(target: DataQuery) => setAnnotation({ ...annotation, target })}
            onRunQuery={() => run([query()])}
          />
        </Boundary>
      )}
      <Button icon="play" className="preview-action" onClick={() => run([query()])}>
        Run query
      </Button>
      {data && (
        <section aria-label="Answer" className="preview-answer">
          {annotations.processEvents && <p>These are the frames of the query. The preview does not call processEvents.</p>}
          <FramesView data={data} timeZone="browser" />
        </section>
      )}
    </>
  );
}

// The configuration editor of a data source, with real settings of the host.
import { type DataSourceInstanceSettings, type DataSourceSettings } from '@grafana/data';
import { Alert, Button, Field, Input, Stack } from '@grafana/ui';
import { useEffect, useState } from 'react';
import { bare } from '../boot/boot';
import { describe, noteFault } from '../observe/faults';
import { markWorking } from '../observe/network';
import { backend } from '../services/backend';
import { dataSources } from '../services/datasources';
import type { AnyDataSourcePlugin } from '../services/plugins';
import { Boundary } from './boundary';

interface Props {
  plugin: AnyDataSourcePlugin;
  settings: DataSourceInstanceSettings;
  onSaved(): Promise<void>;
}

/** Of settings that the host does not have yet: configuration editors expect some uid. */
export const unsavedUID = 'unsaved';

const none = { access: 'proxy', url: '', user: '', database: '', basicAuth: false, basicAuthUser: '', withCredentials: false };

/** The settings as a configuration editor gets them. */
function stored({ id = 0, uid, name, type, meta, readOnly, jsonData }: DataSourceInstanceSettings): DataSourceSettings {
  const shown = { typeName: meta.name, typeLogoUrl: meta.info.logos.small };
  return { ...none, ...shown, id, uid, name, type, readOnly, jsonData, orgId: 1, isDefault: false, secureJsonFields: {}, version: 1 };
}

interface Outcome {
  severity: 'success' | 'error' | 'info';
  title: string;
  details?: string;
}

/** Asks the data source whether it works, as the interface does after saving. */
async function test(uid: string): Promise<Outcome> {
  let outcome: Outcome;
  try {
    const { status, message, details } = await (await dataSources.get(uid)).testDatasource();
    const severity = /^(success|ok)$/i.test(status) ? 'success' : 'error';
    outcome = { severity, title: message ?? status, details: details?.verboseMessage ?? details?.message };
  } catch (e) {
    outcome = { severity: 'error', title: describe(e) };
  }
  if (outcome.severity === 'error') {
    noteFault('health', outcome.title);
  }
  return outcome;
}

export function ConfigPane({ plugin, settings, onSaved }: Props) {
  const [options, setOptions] = useState(() => stored(settings));
  const [outcome, setOutcome] = useState<Outcome>();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    setOptions(stored(settings));
    if (settings.uid !== unsavedUID) {
      void backend.get<DataSourceSettings>(`/api/datasources/uid/${settings.uid}`).then(
        (full) =>
          setOptions({ ...stored(settings), ...full, jsonData: full.jsonData ?? {}, secureJsonFields: full.secureJsonFields ?? {} }),
        () => undefined,
      );
    }
  }, [settings]);

  const save = async () => {
    setBusy(true);
    setOutcome(undefined);
    try {
      const { uid, id: _id, ...body } = options;
      const answer = await (uid !== unsavedUID
        ? backend.put<{ datasource: DataSourceSettings }>(`/api/datasources/uid/${uid}`, options, { showErrorAlert: false })
        : backend.post<{ datasource: DataSourceSettings }>('/api/datasources', body, { showErrorAlert: false }));
      await onSaved();
      setOutcome(await test(answer.datasource.uid));
    } catch (e) {
      setOutcome({ severity: 'error', title: `The settings were not saved: ${describe(e)}` });
    }
    setBusy(false);
  };

  useEffect(() => {
    if (bare && settings.uid !== unsavedUID) {
      markWorking('test', true); // by a check, which presses no button
      void test(settings.uid).finally(() => markWorking('test', false));
    }
  }, [settings]);

  const Editor = plugin.components.ConfigEditor;
  return (
    <>
      <Field label="Name of the data source" data-preview-own>
        <Input
          id="name-of-data-source"
          width={40}
          value={options.name}
          disabled={options.readOnly}
          onChange={(e) => setOptions({ ...options, name: e.currentTarget.value })}
        />
      </Field>
      {Editor ? (
        <Boundary what="the configuration editor" dependencies={[Editor, options]}>
          <Editor options={options} onOptionsChange={setOptions} />
        </Boundary>
      ) : (
        <p>The data source has no configuration editor: setConfigEditor was not called.</p>
      )}
      <div data-preview-own>
        <Stack direction="column" gap={2}>
          {options.readOnly && <Alert severity="info" title="This data source comes from a file and cannot be saved here." />}
          <div className="preview-action">
            <Button onClick={() => void save()} disabled={isBusy || options.readOnly}>
              {isBusy ? 'Saving and testing…' : 'Save & test'}
            </Button>
          </div>
          {outcome && (
            <Alert severity={outcome.severity} title={outcome.title}>
              {outcome.details}
            </Alert>
          )}
        </Stack>
      </div>
    </>
  );
}

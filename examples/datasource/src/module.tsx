// The frontend of the data source: a query editor and the settings that the backend
// requires.
import {
  DataSourcePlugin,
  type DataSourceJsonData,
  type DataSourcePluginOptionsEditorProps,
  type QueryEditorProps,
} from '@grafana/data';
import { DataSourceWithBackend } from '@grafana/runtime';
import type { DataQuery } from '@grafana/schema';
import { DataSourceHttpSettings, InlineField, Input, Select } from '@grafana/ui';
import React from 'react';

interface Query extends DataQuery {
  article: string;
}

interface Settings extends DataSourceJsonData {
  currency?: string;
}

class Shop extends DataSourceWithBackend<Query, Settings> {
  getDefaultQuery(): Partial<Query> {
    return { queryType: 'sales', article: '' };
  }

  filterQuery(query: Query): boolean {
    return Boolean(query.article);
  }
}

const queryTypes = ['sales', 'stock'].map((value) => ({ label: value, value }));

function QueryEditor({ query, onChange, onRunQuery }: QueryEditorProps<Shop, Query, Settings>) {
  return (
    <>
      <InlineField label="Show" labelWidth={14}>
        <Select
          width={20}
          options={queryTypes}
          value={query.queryType}
          onChange={({ value }) => {
            onChange({ ...query, queryType: value });
            onRunQuery();
          }}
        />
      </InlineField>
      <InlineField label="Article" labelWidth={14}>
        <Input
          width={20}
          value={query.article}
          onChange={(event) => onChange({ ...query, article: event.currentTarget.value })}
          onBlur={onRunQuery}
        />
      </InlineField>
    </>
  );
}

function ConfigEditor({ options, onOptionsChange }: DataSourcePluginOptionsEditorProps<Settings>) {
  return (
    <>
      <DataSourceHttpSettings
        defaultUrl="https://shop.example.com"
        dataSourceConfig={options}
        onChange={onOptionsChange}
      />
      <InlineField label="Currency" labelWidth={20} required>
        <Input
          width={20}
          placeholder="EUR"
          value={options.jsonData.currency ?? ''}
          onChange={(event) =>
            onOptionsChange({ ...options, jsonData: { ...options.jsonData, currency: event.currentTarget.value } })
          }
        />
      </InlineField>
    </>
  );
}

export const plugin = new DataSourcePlugin<Shop, Query, Settings>(Shop)
  .setConfigEditor(ConfigEditor)
  .setQueryEditor(QueryEditor);

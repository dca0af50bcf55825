import type { Queries } from '../database/database.ts';
import { storable } from '../database/storable.ts';
import type { Keyring } from '../encryption/keyring.ts';
import type { Component } from '../model/cluster.ts';
import type { ConfigurationChange, ConfigurationVersion } from '../model/inventory.ts';
import { decryptComponents } from './cluster-states.ts';

/** Versions of a list, and differences of a version. */
const MAX_VERSIONS = 20;
const MAX_CHANGES = 100;
/** In place of a value that is secret. Different values look different only by their mark. */
const MASKED = '••••••';

/** The configurations that a cluster had, the newest first, each with what differs from the one before. */
export async function configVersions(
  queries: Queries,
  keyring: Keyring,
  runtimeId: string,
): Promise<ConfigurationVersion[]> {
  const rows = await queries
    .selectFrom('cluster_configs')
    .selectAll()
    .where('runtime_id', '=', storable(runtimeId))
    .orderBy('version', 'desc')
    .limit(MAX_VERSIONS + 1)
    .execute();
  const fields = rows.map((row) => ({
    version: row.version,
    created: row.created,
    values: new Map<string, Value>([
      ['version', row.kyma_version],
      ['profile', row.kyma_profile ?? ''],
      ['administrators', row.administrators.join(', ')],
      ...decryptComponents(row, keyring).flatMap(valuesOf),
    ]),
  }));
  return fields.slice(0, MAX_VERSIONS).map(({ version, created, values }, index) => {
    const before = fields[index + 1]?.values;
    return {
      version,
      created,
      changes: before === undefined ? [] : changesOf(before, values).slice(0, MAX_CHANGES),
    };
  });
}

const SECRET = Symbol('secret');
type Value = string | { readonly [SECRET]: string };

/** The fields of a component by their paths. */
function valuesOf({ component, namespace, version, URL: url, configuration }: Component): [string, Value][] {
  return [
    [component, 'present'],
    [`${component}.namespace`, namespace],
    [`${component}.version`, version],
    [`${component}.URL`, url],
    ...configuration.map(({ key, value, secret }): [string, Value] => {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return [`${component}: ${key}`, secret ? { [SECRET]: text } : text];
    }),
  ];
}

function changesOf(
  before: ReadonlyMap<string, Value>,
  after: ReadonlyMap<string, Value>,
): ConfigurationChange[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((field) => {
    const [one, other] = [before.get(field), after.get(field)];
    if (plain(one) === plain(other)) return [];
    return [{ field, before: shown(one), after: shown(other) }];
  });
}

const plain = (value: Value | undefined): string =>
  typeof value === 'object' ? value[SECRET] : (value ?? '');
const shown = (value: Value | undefined): string => (typeof value === 'object' ? MASKED : (value ?? ''));

/** Values files for charts that nobody wrote some for: changed copies of what a chart has as defaults. */
import { isTable, type Table } from './tables.ts';

export interface Variation {
  readonly name: string;
  /** Undefined: no values file. */
  readonly values: Table | undefined;
}

export const variationsOf = (defaults: Table): Variation[] => [
  { name: 'defaults', values: undefined },
  { name: 'switched', values: change(defaults, switchValue) },
  { name: 'filled', values: change(defaults, fillValue) },
];

/** The values that `replace` gives for some keys, in their places. */
function change(table: Table, replace: (key: string, value: unknown) => unknown): Table {
  const entries = Object.entries(table).flatMap(([key, value]): [string, unknown][] => {
    const replaced = replace(key, value);
    if (replaced !== undefined) return [[key, replaced]];
    if (!isTable(value)) return [];
    const inner = change(value, replace);
    return Object.keys(inner).length > 0 ? [[key, inner]] : [];
  });
  return Object.fromEntries(entries);
}

/** What is on is off, and the other way round. */
function switchValue(key: string, value: unknown): unknown {
  return typeof value === 'boolean' && /enable|create|^install/i.test(key) ? !value : undefined;
}

const FILLINGS: readonly (readonly [RegExp, unknown])[] = [
  [/annotations$/i, { 'example.org/note': 'a: "b" # c', 'example.org/number': '12' }],
  [/labels$/i, { tier: 'backend', 'example.org/yes': 'true' }],
  [/^nodeSelector$/, { 'kubernetes.io/os': 'linux' }],
  [/^tolerations$/, [{ key: 'dedicated', operator: 'Exists', effect: 'NoSchedule' }]],
  [/^affinity$/, { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } }],
  [/^resources$/, { limits: { cpu: '100m', memory: '64Mi' }, requests: { cpu: '50m' } }],
  [/^(extra)?env$/i, [{ name: 'MODE', value: 'yes' }]],
  [/^(imagePullSecrets|pullSecrets)$/, [{ name: 'registry' }]],
  [/^extraArgs$/, ['--verbose=2']],
  [/^(extraVolumes|volumes)$/, [{ name: 'scratch', emptyDir: {} }]],
  [/^(extraVolumeMounts|volumeMounts)$/, [{ name: 'scratch', mountPath: '/scratch' }]],
  [/^priorityClassName$/, 'high'],
  [/^(replicas|replicaCount)$/, 3],
];

function fillValue(key: string, value: unknown): unknown {
  const isEmpty =
    value === '' ||
    value === null ||
    (Array.isArray(value) && value.length === 0) ||
    (isTable(value) && Object.keys(value).length === 0);
  const [, filling] = FILLINGS.find(([pattern]) => pattern.test(key)) ?? [];
  if (filling === undefined || !(isEmpty || typeof value === 'number')) return undefined;
  // A list where a map was, or the other way round, is what nobody would write.
  const isSameShape = value === null || value === '' || Array.isArray(value) === Array.isArray(filling);
  return isSameShape ? filling : undefined;
}

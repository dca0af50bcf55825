import type { Command } from 'commander';
import { ProviderError } from '../../../framework/base/index.ts';
import type { KubeClient } from '../../../framework/kube/index.ts';
import { supportedPolicySets } from '../../../framework/managed/index.ts';
import { reporting } from '../../../framework/module/console/reporting-command.ts';
import {
  jsonText,
  type OutputFormat,
  type Shown,
  type Style,
  shown,
  styleFor,
  table,
  yamlText,
} from '../../../framework/module/console/shown.ts';
import type { CommandContext } from '../../../framework/module/module.ts';
import { hanaConfigKinds } from '../config/provider-configs.ts';
import type { InventoryFlags } from '../flags.ts';
import { openInventoryConnections } from '../inventory-connections.ts';
import type { CredentialsLocation } from './credentials-location.ts';
import { type Discovery, discover, type FoundMapping } from './discover.ts';
import { type Import, type ImportManifest, importOf } from './manifest.ts';

/** Exit codes of `provider-kyma discover`. */
export const discoverExitCodes = {
  /** All requests succeeded. */
  complete: 0,
  /** A request failed: the result may be incomplete. */
  incomplete: 1,
} as const;

export interface DiscoverFlags extends LocationFlags {
  readonly namespace?: string;
  readonly instance?: readonly string[];
  readonly providerConfig?: string;
  readonly managementPolicies: readonly string[];
  readonly output: OutputFormat;
}

const TIMEOUT_MS = 300_000;

const noLocationText =
  'no resource of the cluster refers to credentials: name them with --admin-binding or --credentials-secret';

/** Prints the result on stdout and problems on stderr. Returns the exit code. */
export function runDiscover(
  flags: DiscoverFlags,
  command: Command,
  { host, open }: CommandContext<InventoryFlags>,
): Promise<number> {
  return reporting(
    { name: 'discover', host, failed: discoverExitCodes.incomplete },
    async ({ print, info, progress }) => {
      const { locations, ...own } = locationsOf(flags);
      const { managementPolicies, namespace, providerConfig } = flags;
      assertSupported(managementPolicies);
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      await using context = await open(command);
      const { client } = context;
      await using connections = openInventoryConnections(context);
      const { clusters, hanaCloud } = connections;
      if (providerConfig !== undefined) await assertConfig(client, providerConfig, namespace, signal);
      const discovery = await discover({
        client,
        clusters,
        hanaCloud,
        signal,
        ...(locations === undefined ? {} : { locations }),
        ...(flags.instance === undefined ? {} : { instances: flags.instance }),
        onProgress: (location) => progress(`requesting with the credentials of ${location}`),
      });
      if (discovery.locations === 0) throw new ProviderError('terminal', noLocationText);
      const options = {
        ...own,
        managementPolicies,
        ...(namespace === undefined ? {} : { namespace }),
        ...(providerConfig === undefined ? {} : { providerConfig }),
      };
      const rows = discovery.found.map((found): Row => ({ found, import: importOf(found, options) }));
      print(formatDiscovery(flags.output, rows, discovery, styleFor(host.stdout, host.env)));
      for (const note of discovery.notes) info(note);
      if (flags.output !== 'table') for (const line of rows.flatMap(withoutManifest)) info(line);
      for (const problem of discovery.problems) info(problem);
      return discovery.problems.length === 0 ? discoverExitCodes.complete : discoverExitCodes.incomplete;
    },
  );
}

function assertSupported(policies: readonly string[]): void {
  const isSupported = supportedPolicySets.some(
    (set) => set.length === policies.length && policies.every((policy) => (set as string[]).includes(policy)),
  );
  if (isSupported) return;
  throw new ProviderError('terminal', `--management-policies ${policies.join(',')} is no supported set`);
}

async function assertConfig(
  client: KubeClient,
  name: string,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { cluster, namespaced } = hanaConfigKinds;
  await client.getMetadata(
    namespace === undefined ? cluster.config : namespaced.clusterConfig,
    { name },
    { signal },
  );
}

/** Lines for mappings without a manifest. In a table, the row of the mapping has the cause. */
function withoutManifest({ found: { serviceInstanceID, mapping }, import: each }: Row): string[] {
  if ('manifest' in each) return [];
  const place = [mapping.platform, mapping.primaryID, mapping.secondaryID].filter(Boolean).join('/');
  return [`no manifest for ${serviceInstanceID}/${place}: ${each.why}`];
}

interface ParsedRef {
  readonly namespace: string;
  readonly name: string;
  readonly key?: string;
}

interface LocationFlags {
  readonly adminBinding?: string;
  readonly connectionSecret?: string;
  readonly clusterIdConfigMap?: string;
  readonly credentialsSecret?: string;
}

interface Locations {
  /** Absent: those of all resources. */
  readonly locations?: readonly CredentialsLocation[];
  /** For the manifests of InstanceMappings. */
  readonly credentialsSecret?: { readonly namespace: string; readonly name: string; readonly key: string };
}

/** @throws a terminal error if a flag is malformed or needs another one */
export function locationsOf(flags: LocationFlags): Locations {
  const { adminBinding, connectionSecret, clusterIdConfigMap } = flags;
  const secret = flags.credentialsSecret === undefined ? undefined : secretOf(flags.credentialsSecret);
  const own = secret === undefined ? {} : { credentialsSecret: secret };
  if (adminBinding === undefined) {
    for (const [flag, value] of Object.entries({ connectionSecret, clusterIdConfigMap })) {
      if (value === undefined) continue;
      const name = flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      throw new ProviderError('terminal', `--${name} is of use with --admin-binding only`);
    }
    return secret === undefined ? {} : { ...own, locations: [{ form: 'secret', secret }] };
  }
  const cluster = connectionSecret === undefined ? undefined : clusterOf(connectionSecret);
  return {
    ...own,
    locations: [
      {
        form: 'binding',
        binding: refOf('--admin-binding', adminBinding),
        ...(cluster === undefined ? {} : { cluster }),
        ...(clusterIdConfigMap === undefined
          ? {}
          : { clusterIdConfigMap: refOf('--cluster-id-config-map', clusterIdConfigMap) }),
      },
    ],
  };
}

function clusterOf(text: string) {
  const { key = 'kubeconfig', ...secret } = keyedRefOf('--connection-secret', text);
  return { secret, kubeconfigKey: key };
}

function secretOf(text: string) {
  const { key, ...secret } = keyedRefOf('--credentials-secret', text);
  if (key === undefined) throw malformed('--credentials-secret', text, 'NAMESPACE/NAME:KEY');
  return { ...secret, key };
}

function keyedRefOf(flag: string, text: string): ParsedRef {
  const [ref = '', key, ...rest] = text.split(':');
  if (rest.length > 0 || key === '') throw malformed(flag, text, 'NAMESPACE/NAME:KEY');
  return { ...refOf(flag, ref), ...(key === undefined ? {} : { key }) };
}

function refOf(flag: string, text: string): { readonly namespace: string; readonly name: string } {
  const [namespace, name, ...rest] = text.split('/');
  if (!namespace || !name || rest.length > 0 || text.includes(':')) {
    throw malformed(flag, text, 'NAMESPACE/NAME');
  }
  return { namespace, name };
}

const malformed = (flag: string, text: string, want: string) =>
  new ProviderError('terminal', `${flag} is ${JSON.stringify(text)}, want ${want}`);

/** A mapping with the manifest that imports it. */
export interface Row {
  readonly found: FoundMapping;
  readonly import: Import;
}

/** Formats manifests for `kubectl apply -f -`, or a table. */
export function formatDiscovery(
  format: OutputFormat,
  rows: readonly Row[],
  discovery: Pick<Discovery, 'instances'>,
  style: Style,
): string {
  const manifests = rows.flatMap(({ import: each }) => ('manifest' in each ? [each.manifest] : []));
  switch (format) {
    case 'table':
      return asTable(shown(rows), discovery, style);
    case 'json':
      return jsonText({ apiVersion: 'v1', kind: 'List', items: manifests });
    case 'yaml':
      return manifests.map(asDocument).join('');
    default:
      return format satisfies never;
  }
}

const asDocument = (manifest: ImportManifest): string => `---\n${yamlText(manifest)}`;

function asTable(
  rows: Shown<readonly Row[]>,
  { instances }: Pick<Discovery, 'instances'>,
  style: Style,
): string {
  const sum = `${rows.length} ${rows.length === 1 ? 'mapping' : 'mappings'} of ${instances} ${instances === 1 ? 'instance' : 'instances'} without a resource`;
  if (rows.length === 0) return `${sum}.\n`;
  const cells = rows.map(({ found: { serviceInstanceID, mapping }, import: each }) => [
    serviceInstanceID,
    mapping.platform,
    mapping.primaryID,
    mapping.secondaryID ?? '',
    String(mapping.isDefault),
    'manifest' in each
      ? `${each.manifest.kind} ${nameOf(each.manifest)}`
      : style('notice', `none: ${each.why}`),
  ]);
  const headings = ['INSTANCE-ID', 'PLATFORM', 'PRIMARY-ID', 'SECONDARY-ID', 'DEFAULT', 'IMPORT'];
  return `${table(headings, cells)}\n${sum}; -o yaml prints the manifests.\n`;
}

const nameOf = ({ metadata: { namespace, name } }: ImportManifest): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

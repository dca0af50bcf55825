import {
  type ConfigurationNode,
  readFields,
  readItems,
} from '../../../../framework/base/configuration/configuration.ts';
import type { DeleteStrategy } from '../model/settings.ts';

/** The part `mothership` of the configuration file. */
export interface MothershipSection {
  /** Where component reconcilers and clients reach this mothership: prefix of callback URLs and `statusURL`. */
  readonly baseUrl: string;
  readonly scheduler: SchedulerSettings;
}

export interface SchedulerSettings {
  readonly deleteStrategy: DeleteStrategy;
  /** Addresses of component reconcilers by component, in lower case; `base` for all others. */
  readonly reconcilers: ReadonlyMap<string, string>;
  /** Operations of a component at the same time, over all clusters, by component; those that are not named have no limit. */
  readonly maxParallel: ReadonlyMap<string, number>;
  /** Groups of components that are reconciled before all others, in their order. */
  readonly preComponents: readonly (readonly string[])[];
  /** CRDs whose existence on a cluster shows that something else manages the component there. */
  readonly componentCrds: ReadonlyMap<string, MigrationCrd>;
}

export interface MigrationCrd {
  readonly group: string;
  readonly version: string;
  /** The plural name of the resource, as the Go program has it in `kind`. */
  readonly plural: string;
}

const DELETE_STRATEGIES: readonly DeleteStrategy[] = ['system', 'all'];

/** @throws ConfigurationError */
export function mothershipSection(root: ConfigurationNode): MothershipSection {
  const section = root.member('mothership');
  if (section.isAbsent) section.fail('it is missing; it needs scheme, host, port and scheduler.reconcilers');
  return readFields<MothershipSection>({
    baseUrl: () => baseUrlIn(section),
    scheduler: () => schedulerSettings(section.member('scheduler')),
  });
}

function baseUrlIn(section: ConfigurationNode): string {
  const { scheme, host, port } = readFields({
    scheme: () => schemeIn(section.member('scheme')),
    host: () => hostIn(section.member('host')),
    port: () => section.member('port').integer(1, 65_535) ?? section.member('port').fail('it is missing'),
  });
  const baseUrl = `${scheme}://${host}:${port}`;
  if (!URL.canParse(baseUrl)) section.member('host').fail('want a name or an address');
  return baseUrl;
}

function schemeIn(node: ConfigurationNode): string {
  const name = node.requiredText().toLowerCase();
  if (name !== 'http' && name !== 'https') node.fail('want http or https');
  return name;
}

/** IPv6 addresses are in brackets in URLs. */
function hostIn(node: ConfigurationNode): string {
  const host = node.requiredText();
  if (!/^[A-Za-z0-9._:[\]-]{1,253}$/.test(host)) node.fail('want a name or an address');
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

function schedulerSettings(section: ConfigurationNode): SchedulerSettings {
  return readFields<SchedulerSettings>({
    deleteStrategy: () => deleteStrategyIn(section.member('deleteStrategy')),
    reconcilers: () => reconcilersIn(section.member('reconcilers')),
    maxParallel: () => maxParallelIn(section.member('reconcilers')),
    preComponents: () => readItems(section.member('preComponents').items(), groupOf),
    componentCrds: () =>
      new Map(
        readItems(section.member('componentCRDs').entries(), ([component, node]) => [component, crdOf(node)]),
      ),
  });
}

function deleteStrategyIn(node: ConfigurationNode): DeleteStrategy {
  const text = node.text().trim();
  const strategy = parseDeleteStrategy(text);
  return strategy ?? node.fail(`want ${DELETE_STRATEGIES.join(' or ')}`);
}

/** In any case; empty stands for `system`. Undefined for anything else. */
export function parseDeleteStrategy(text: string): DeleteStrategy | undefined {
  const lower = text.toLowerCase();
  return lower === '' ? 'system' : DELETE_STRATEGIES.find((strategy) => strategy === lower);
}

function reconcilersIn(node: ConfigurationNode): ReadonlyMap<string, string> {
  const found = readItems(
    node.entries(),
    ([component, entry]) => [component, urlIn(entry.member('url'))] as const,
  );
  if (found.length === 0) node.fail('want at least one, usually base');
  return new Map(found);
}

function maxParallelIn(node: ConfigurationNode): ReadonlyMap<string, number> {
  const limits = readItems(node.entries(), ([component, entry]) => {
    const limit = entry.member('maxParallel').integer(1, 1_000_000);
    return limit === undefined ? [] : [[component, limit] as const];
  });
  return new Map(limits.flat());
}

/** Addresses of component reconcilers are configuration, and may be private. */
function urlIn(node: ConfigurationNode): string {
  const url = node.requiredText();
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) node.fail('want a URL with http or https');
  return url;
}

/** The file of the Go program has lists of lists; a single name is a group of its own. */
function groupOf(node: ConfigurationNode): readonly string[] {
  return node.isText ? [node.requiredText()] : node.requiredTexts();
}

function crdOf(node: ConfigurationNode): MigrationCrd {
  return readFields<MigrationCrd>({
    group: () => node.member('group').requiredText(),
    version: () => node.member('version').requiredText(),
    plural: () => node.member('kind').requiredText().toLowerCase(),
  });
}

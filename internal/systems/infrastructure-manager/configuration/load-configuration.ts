import {
  type ConfigurationNode,
  explainedBy,
  readAll,
  readConfigurationFile,
  readFields,
  readItems,
} from '../../../framework/base/configuration/configuration.ts';
import { deepFreeze } from '../../../framework/base/json/deep-freeze.ts';
import type {
  AuditTenant,
  AuditTenants,
  Configuration,
  MaintenanceWindow,
  MaintenanceWindows,
} from './configuration.ts';
import { converterConfigurationOf, warningsOf } from './converter-file.ts';

export interface ConfigurationSource {
  /** The file of the converter configuration, which names the others. */
  readonly path: string;
  /** The project of Gardener that clients use, without `garden-`. The file must name the same one. */
  readonly project: string;
}

const PAGE = 'docs/infrastructure-manager/shoot.md';

/**
 * Reads the converter configuration, the tenants of the audit log service, and the maintenance windows if there are any. Paths in the
 * configuration are relative to the working directory. Names of members may be in any case; those that are not known are mistakes.
 *
 * @throws ConfigurationError with all mistakes: file, line and column
 */
export const loadConfiguration = (source: ConfigurationSource): Promise<Configuration> =>
  explainedBy(PAGE, () => load(source));

async function load({ path, project }: ConfigurationSource): Promise<Configuration> {
  const configuration = await read(path, (root) => {
    const found = converterConfigurationOf(root);
    const { projectName } = found.converter.gardener;
    const node = root.member('converter').member('gardener').member('projectName');
    const projectMistake = projectName === project ? undefined : node;
    return { ...found, warnings: warningsOf(root), projectMistake };
  });
  const { auditLogging, maintenanceWindow, gardener } = configuration.converter;
  const checkProject = async () =>
    configuration.projectMistake?.fail(
      `it is ${gardener.projectName}, but --gardener-project-name is ${project}`,
    );
  const { windowMapPath } = maintenanceWindow;
  const [auditTenants, maintenanceWindows] = await readAll([
    read(auditLogging.tenantConfigPath, auditTenantsOf),
    windowMapPath === ''
      ? Promise.resolve<MaintenanceWindows>(new Map())
      : read(windowMapPath, maintenanceWindowsOf),
    checkProject(),
  ]);
  const { converter, cluster, warnings } = configuration;
  return deepFreeze({ converter, cluster, warnings, auditTenants, maintenanceWindows });
}

/** Reads one of the files. Go's decoder of JSON compares names of members without case. */
async function read<T>(path: string, convert: (root: ConfigurationNode) => T): Promise<T> {
  const root = await readConfigurationFile(path, { ignoresCase: true });
  // The members that are known are those that were read.
  return readFields({ value: () => convert(root), unknown: () => root.refuseUnknown() }).value;
}

/** Maintenance windows by region. @throws ConfigurationError with all mistakes */
export const maintenanceWindowsOf = (root: ConfigurationNode): MaintenanceWindows =>
  new Map(readItems(root.mapEntries(), ([region, node]) => [region, windowOf(node)]));

const windowOf = (node: ConfigurationNode): MaintenanceWindow =>
  readFields<MaintenanceWindow>({
    begin: () => timeOf(node.member('begin')),
    end: () => timeOf(node.member('end')),
  });

/** Hours, minutes, seconds and the difference to UTC, as Gardener reads it. */
const TIME = /^([01]\d|2[0-3])[0-5]\d[0-5]\d[+-]\d{4}$/;

function timeOf(node: ConfigurationNode): string {
  const text = node.requiredText();
  if (!TIME.test(text)) node.fail('want a time of the day such as 200000+0000');
  return text;
}

/** Tenants of the audit log service by provider and region. @throws ConfigurationError with all mistakes */
export const auditTenantsOf = (root: ConfigurationNode): AuditTenants =>
  new Map(readItems(root.mapEntries(), ([provider, regions]) => [provider, tenantsByRegion(regions)]));

const tenantsByRegion = (regions: ConfigurationNode): ReadonlyMap<string, AuditTenant> =>
  new Map(readItems(regions.mapEntries(), ([region, tenant]) => [region, auditTenantOf(tenant)]));

const auditTenantOf = (node: ConfigurationNode): AuditTenant => {
  const { readCredsSecretName: _, ...tenant } = readFields({
    tenantID: () => node.member('tenantID').requiredText(),
    serviceURL: () => urlIn(node.member('serviceURL')),
    secretName: () => node.member('secretName').requiredText(),
    // Of later versions, for the readers of audit logs.
    readCredsSecretName: () => node.member('readCredsSecretName').text(),
  });
  return tenant;
};

function urlIn(node: ConfigurationNode): string {
  const url = node.requiredText();
  if (URL.parse(url) === null) node.fail('want a URL');
  return url;
}

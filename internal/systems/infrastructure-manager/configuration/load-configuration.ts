import { explainedBy } from '../../../framework/base/configuration/configuration-error.ts';
import type { ConfigurationNode } from '../../../framework/base/configuration/configuration-node.ts';
import { readConfigurationFile } from '../../../framework/base/configuration/read-configuration-file.ts';
import { readAll, readFields } from '../../../framework/base/configuration/read-fields.ts';
import { deepFreeze } from '../../../framework/base/json/deep-freeze.ts';
import { auditTenantsOf } from './audit-tenants-file.ts';
import type { Configuration, MaintenanceWindows } from './configuration.ts';
import { converterConfigurationOf, warningsOf } from './converter-file.ts';
import { maintenanceWindowsOf } from './maintenance-windows-file.ts';

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

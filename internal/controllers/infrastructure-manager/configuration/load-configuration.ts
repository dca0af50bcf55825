import type { ConfigurationNode } from '../../../base/configuration/configuration-node.ts';
import { readConfigurationFile } from '../../../base/configuration/read-configuration-file.ts';
import { deepFreeze } from '../../../base/json/deep-freeze.ts';
import { auditTenantsOf } from './audit-tenants-file.ts';
import type { Configuration } from './configuration.ts';
import { converterConfigurationOf, warningsOf } from './converter-file.ts';
import { maintenanceWindowsOf } from './maintenance-windows-file.ts';

export interface ConfigurationSource {
  /** The file of the converter configuration, which names the others. */
  readonly path: string;
  /** The project of Gardener that clients use, without `garden-`. The file must name the same one. */
  readonly project: string;
}

/**
 * Reads the converter configuration, the tenants of the audit log service, and the maintenance windows if there are any. Paths in the
 * configuration are relative to the working directory. Names of members may be in any case; those that are not known are mistakes.
 *
 * @throws ConfigurationError for the first mistake, with file, line and column
 */
export async function loadConfiguration({ path, project }: ConfigurationSource): Promise<Configuration> {
  const configuration = await read(path, (root) => {
    const found = converterConfigurationOf(root);
    const { projectName } = found.converter.gardener;
    if (projectName !== project)
      root
        .member('converter')
        .member('gardener')
        .member('projectName')
        .fail(`it is ${projectName}, but --gardener-project-name is ${project}`);
    return { ...found, warnings: warningsOf(root) };
  });
  const { auditLogging, maintenanceWindow } = configuration.converter;
  const auditTenants = await read(auditLogging.tenantConfigPath, auditTenantsOf);
  const maintenanceWindows =
    maintenanceWindow.windowMapPath === ''
      ? new Map()
      : await read(maintenanceWindow.windowMapPath, maintenanceWindowsOf);
  return deepFreeze({ ...configuration, auditTenants, maintenanceWindows });
}

/** Reads one of the files. Go's decoder of JSON compares names of members without case. */
async function read<T>(path: string, convert: (root: ConfigurationNode) => T): Promise<T> {
  const root = await readConfigurationFile(path, { ignoresCase: true });
  const value = convert(root);
  root.refuseUnknown();
  return value;
}

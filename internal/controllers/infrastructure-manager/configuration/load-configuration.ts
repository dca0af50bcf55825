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
 * configuration are relative to the working directory.
 *
 * @throws ConfigurationError for the first mistake, with file, line and column
 */
export async function loadConfiguration({ path, project }: ConfigurationSource): Promise<Configuration> {
  const root = await readConfigurationFile(path);
  const configuration = converterConfigurationOf(root);
  const { auditLogging, maintenanceWindow, gardener } = configuration.converter;
  if (gardener.projectName !== project)
    root
      .member('converter')
      .member('gardener')
      .member('projectName')
      .fail(`it is ${gardener.projectName}, but --gardener-project-name is ${project}`);
  const auditTenants = auditTenantsOf(await readConfigurationFile(auditLogging.tenantConfigPath));
  const maintenanceWindows =
    maintenanceWindow.windowMapPath === ''
      ? new Map()
      : maintenanceWindowsOf(await readConfigurationFile(maintenanceWindow.windowMapPath));
  return deepFreeze({ ...configuration, auditTenants, maintenanceWindows, warnings: warningsOf(root) });
}

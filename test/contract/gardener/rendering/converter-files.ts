import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configurationOf, tenant } from './choices.ts';

/** Writes the files of `configurationOf` as the program reads them. Returns the path of the converter configuration. */
export async function writeConverterFiles(folder: string, project: string): Promise<string> {
  const [converterFile, tenantsFile] = [join(folder, 'converter.json'), join(folder, 'tenants.json')];
  const { auditTenants: _t, maintenanceWindows: _w, converter, cluster } = configurationOf(project);
  const configuration = {
    cluster,
    converter: {
      ...converter,
      auditLogging: { ...converter.auditLogging, tenantConfigPath: tenantsFile },
      maintenanceWindow: { windowMapPath: '' },
    },
  };
  await writeFile(tenantsFile, JSON.stringify({ aws: { elsewhere: tenant } }));
  await writeFile(converterFile, JSON.stringify(configuration, null, 2));
  return converterFile;
}

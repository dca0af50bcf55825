import type { ConfigurationNode } from '../../../framework/base/configuration/configuration-node.ts';
import { readFields, readItems } from '../../../framework/base/configuration/read-fields.ts';
import type { MaintenanceWindow, MaintenanceWindows } from './configuration.ts';

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

import {
  type KymaInstanceMapping,
  kymaInstanceMappings,
} from '../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import type { Context } from './context.ts';
import { renderTable } from './output/table.ts';

const HEADER = ['MAPPING', 'CLUSTER ID', 'NAMESPACE', 'READY', 'SYNCED', 'SECONDS'];

/** The mappings as the API has them now, and the time of each from complete sources to Ready. */
export async function overviewOf({ management, readyAfter }: Context): Promise<string> {
  const found = await management.list(kymaInstanceMappings);
  const seconds: ReadonlyMap<string, number> = readyAfter;
  const table = renderTable(
    HEADER,
    found.map((mapping) => rowOf(mapping, seconds.get(mapping.metadata.name))),
  );
  return `${table}\n\nSECONDS: until Ready, from when all that the mapping needs was there`;
}

/** The row of a mapping; `-` for what is not known. */
export function rowOf({ metadata, status }: KymaInstanceMapping, seconds: number | undefined): string[] {
  const id = status?.atProvider?.hana?.mappingId;
  const condition = (wanted: string) => status?.conditions?.find(({ type }) => type === wanted)?.status;
  const cells = [metadata.name, id?.primaryID, id?.secondaryID, condition('Ready'), condition('Synced')];
  return [...cells, seconds?.toFixed(1)].map((cell) => cell ?? '-');
}

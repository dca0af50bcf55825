import { ProviderError } from '../../../../framework/base/index.ts';

/** Length of an ID, which is a UUID. */
const MAX_ID = 512;

/** Encoding makes an ID one segment of a path, except for an empty ID, `.` and `..`. */
export function assertID(id: string, doing: string): void {
  if (id.length <= MAX_ID && !['', '.', '..'].includes(id) && id.isWellFormed()) return;
  throw new ProviderError('terminal', `cannot ${doing}: ${JSON.stringify(id.slice(0, 50))} cannot be an ID`);
}

import { logTo } from '../../../framework/module/commands/log-format.ts';
import type { ProcessLike } from '../../../framework/module/console/process-like.ts';
import { createLogger } from '../../../framework/process/index.ts';

/** The log of a command, with the fields of Kyma's components. */
export const kymaLog = (
  { verbose, logFormat }: { readonly verbose: boolean; readonly logFormat: string },
  host: Pick<ProcessLike, 'stderr'>,
) => createLogger({ debug: verbose, fields: 'kyma', ...logTo(logFormat, host) });

import type { OutputFormat } from '../../console/format.ts';
import type { AllOf, FlagValues } from '../../process/flags/flag.ts';
import type { ConnectionFlags } from '../../provider/connections/connection-flags.ts';
import type { StartFlags } from '../../provider/flags.ts';
import type { doctorGroups } from '../../provider/modules.ts';

export interface DoctorFlags
  extends ConnectionFlags,
    Pick<StartFlags, 'controllers'>,
    FlagValues<AllOf<(typeof doctorGroups)[number]['flags']>> {
  readonly output: OutputFormat;
  readonly beforeUninstall?: boolean;
  readonly permissions?: boolean;
  /** User whose rights on the management cluster are checked. */
  readonly as?: string;
}

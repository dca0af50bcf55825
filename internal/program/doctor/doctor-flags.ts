import type { OutputFormat } from '../../framework/module/console/shown.ts';
import type { AllOf, FlagValues } from '../../framework/process/flag.ts';
import type { ConnectionFlags } from '../provider/connections/program-connections.ts';
import type { StartFlags } from '../provider/flags.ts';
import type { doctorGroups } from '../provider/modules.ts';

export interface DoctorFlags
  extends ConnectionFlags,
    Pick<StartFlags, 'controllers'>,
    FlagValues<AllOf<(typeof doctorGroups)[number]['flags']>> {
  readonly output: OutputFormat;
  readonly beforeUninstall?: boolean;
  readonly permissions?: boolean;
  /** All resources of a kind. */
  readonly all?: boolean;
  /** The rights of Crossplane are checked, which composes the kinds, instead of the provider's. */
  readonly composing?: boolean;
  /** User whose rights on the management cluster are checked. */
  readonly as?: string;
}

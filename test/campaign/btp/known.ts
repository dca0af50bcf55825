import type { KnownViolation } from '../runner/campaign-module.ts';
import type { ServiceAction } from './btp-module.ts';

const plan = (servicePlanName: string) => ({ serviceOfferingName: 'xsuaa', servicePlanName });

const rootKeys = { secretKey: 'credentials', secretRootKey: 'root' };

const fromSecret = {
  parametersFrom: [{ secretKeyRef: { name: 'p-2', key: 'parameters' } }],
  watchParametersFromChanges: true,
};

/** Violations that exist today. */
export const knownServiceViolations: readonly KnownViolation<ServiceAction>[] = [
  {
    invariant: 'commands',
    what: /whose last edit was refused, is updated to what it is/,
    actions: [
      { of: 'instance', user: { do: 'set', at: 0, spec: { ...plan('application'), ...fromSecret } } },
      { of: 'process', process: { do: 'wait', ms: 20_000 } },
      { of: 'instance', user: { do: 'set', at: 0, spec: { ...plan('broker'), externalName: 'foreign-2' } } },
      { of: 'process', process: { do: 'wait', ms: 20_000 } },
      { of: 'instance', user: { do: 'take back', at: 0 } },
    ],
    reason:
      'an edit that was refused is taken back: with parameters of Secrets the old content is sent again',
    since: '2026-11-28',
  },
  {
    invariant: 'path independence',
    what: /instances\.\S+\.parameters/,
    actions: [
      { of: 'instance', user: { do: 'set', at: 0, spec: { ...plan('application'), parameters: { a: 1 } } } },
      { of: 'process', process: { do: 'wait', ms: 20_000 } },
      { of: 'instance', user: { do: 'set', at: 0, spec: plan('application') } },
    ],
    reason:
      'parameters that are taken out of the spec stay: an update without parameters leaves those that were sent',
    since: '2026-11-28',
  },
  {
    invariant: 'path independence',
    what: /secrets\.\S+: .*(instance_name|tags|plan)/,
    actions: [
      { of: 'instance', user: { do: 'set', at: 0, spec: plan('application') } },
      { of: 'binding', user: { do: 'set', at: 0, spec: { serviceInstanceName: 'orders', ...rootKeys } } },
      { of: 'process', process: { do: 'wait', ms: 20_000 } },
      { of: 'instance', user: { do: 'set', at: 0, spec: { ...plan('application'), externalName: 'a' } } },
    ],
    reason: 'the Secret of a binding keeps tags, plan and name that its instance had, for ten hours',
    since: '2026-11-28',
  },
  {
    invariant: 'rest',
    what: /update kubernetes Secret|updateStatus kubernetes ServiceBinding/,
    actions: [
      { of: 'instance', user: { do: 'set', at: 0, spec: plan('application') } },
      { of: 'binding', user: { do: 'set', at: 0, spec: { serviceInstanceName: 'orders' } } },
      { of: 'process', process: { do: 'wait', ms: 20_000 } },
      { of: 'instance', user: { do: 'set', at: 0, spec: { ...plan('application'), externalName: 'a' } } },
    ],
    reason: 'the Secret of a binding follows its instance only when it is observed again, after ten hours',
    since: '2026-11-28',
  },
  {
    invariant: 'convergence',
    what: /CreateFailed secret \S+ belongs to another binding/,
    actions: [
      ...[0, 1].map(
        (at) =>
          ({
            of: 'binding',
            user: { do: 'set', at, spec: { serviceInstanceName: 'orders', secretName: 's-1' } },
          }) as const,
      ),
      { of: 'instance', user: { do: 'set', at: 0, spec: plan('application') } },
    ],
    reason:
      'a binding is bound before its Secret is known to be free, and the name of the Secret cannot be changed then',
    since: '2026-11-28',
  },
];

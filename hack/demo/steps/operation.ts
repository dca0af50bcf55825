import { reconcilesIn } from '../provider/metrics.ts';
import type { Step } from '../step.ts';

/** What operators use. */
export const operation: readonly Step[] = [
  {
    title: 'The metrics page counts the reconciles',
    run: async (context) => {
      const { total, panics, terminalErrors } = reconcilesIn(await context.provider.page('/metrics'));
      context.print(`${total} reconciles at ${context.provider.url}/metrics`);
      await context.now({
        what: 'the reconciles that the page counts',
        is: 'some, none of which ended in a fault of the provider’s own or for good',
        actual: () =>
          total > 0 && panics === 0 && terminalErrors === 0
            ? 'some, none of which ended in a fault of the provider’s own or for good'
            : `${total}, ${panics} panics, ${terminalErrors} terminal errors`,
      });
    },
  },
  {
    title: 'HANA Cloud saw no request against its contract',
    run: async ({ simulator, now }) => {
      await now({
        what: 'the violations of the contract',
        is: '',
        actual: () => simulator.violations().join('; '),
      });
    },
  },
];

import { ProviderError } from '../../base/errors/errors.ts';
import type { ChartRenderer } from '../../helm/chart-renderer.ts';

/** Renders charts whose templates have no actions. */
export function createPlainRenderer(): ChartRenderer {
  return {
    render: async ({ files }) =>
      files
        .filter(({ name }) => /^(templates|crds)\/.*\.ya?ml$/.test(name))
        .map(({ name, data }) => {
          const text = new TextDecoder().decode(data);
          if (text.includes('{{'))
            throw new ProviderError('terminal', `${name}: templates are not supported yet`);
          return { source: name, text };
        }),
    close: async () => undefined,
  };
}

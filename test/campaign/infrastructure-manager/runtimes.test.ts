/** Random actions on Runtimes; `make test-faults ARGS='--only runtimes'` has more of them. */
import { campaignTests } from '../runner/campaign-tests.ts';
import { runtimeModule } from './runtime-module.ts';

campaignTests(runtimeModule, { seed: 20_261_128, maxActions: 20 });

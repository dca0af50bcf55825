/** Random actions on service objects; `make test-faults ARGS='--only service-objects'` has more of them. */
import { campaignTests } from '../runner/campaign-tests.ts';
import { btpModule } from './btp-module.ts';

campaignTests(btpModule, { seed: 20_261_128 });

/** Random actions on InstanceMappings; `make test-faults ARGS='--only mappings'` has more of them. */
import { campaignTests } from '../runner/campaign-tests.ts';
import { mappingModule } from './mapping-module.ts';

campaignTests(mappingModule, { seed: 20_261_128 });

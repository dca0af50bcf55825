/** Random actions on KymaInstanceMappings, in memory. */
import { campaignTests } from '../runner/campaign-tests.ts';
import { kymaMappingModule } from './kyma-mapping-module.ts';

campaignTests(kymaMappingModule, { seed: 20_261_128 });

/** Random actions on KymaClusters; `make test-faults ARGS='--only kyma-clusters'` has more of them. */
import { campaignTests } from '../runner/campaign-tests.ts';
import { knownKymaClusterViolations } from './known.ts';
import { kymaClusterModule } from './kyma-cluster-module.ts';

campaignTests(kymaClusterModule, { seed: 20_261_128, known: knownKymaClusterViolations });

/** One entry of `status.conditions` (`metav1.Condition`). `lastTransitionTime` has whole seconds. */
export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message?: string;
  lastTransitionTime: string;
  observedGeneration?: number;
}

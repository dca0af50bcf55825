/** Labels and annotations of the SAP BTP service operator that several kinds use. */

/** Of all labels, annotations and finalizers of the operator. */
export const prefix = 'services.cloud.sap.com/';

/** Blocks the deletion of a ServiceInstance or ServiceBinding, and of a watched Secret. */
export const finalizer = `${prefix}sap-btp-finalizer`;
/** Label of each Secret of a binding, by which the SAP BTP service operator selects what it caches. */
export const managedByLabel = `${prefix}managed-by-sap-btp-operator`;
/** Label of a binding that a rotation has replaced: the ID of the binding. */
export const staleLabel = `${prefix}stale`;
/** Label of a replaced binding: the name of the binding that replaced it, possibly shortened. */
export const rotationOfLabel = `${prefix}rotationOf`;
/** Annotation of a replaced binding: the name of the binding that replaced it. */
export const originalBindingAnnotation = `${prefix}original-binding-name`;
/** Annotation of a binding whose credentials are replaced now, with any value. The rotation removes it. */
export const forceRotateAnnotation = `${prefix}forceRotate`;
/** Annotation of an instance or binding: `Orphan`, in any case, leaves it in Service Manager when the object is deleted. */
export const deletionPolicyAnnotation = `${prefix}deletionPolicy`;
/** Annotation of an instance that must not be deleted: `true`, in any case. */
export const preventDeletionAnnotation = `${prefix}preventDeletion`;

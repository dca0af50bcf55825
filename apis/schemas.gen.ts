// Generated from apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/instancemapping.yaml, apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.yaml, apis/reconciler.kyma-project.io/v1alpha1/kymacluster.yaml by hack/codegen. Do not edit; run `make generate`.

/** The part of a CRD's schema that says which fields there are. */
export interface FieldSchema {
    readonly type?: string;
    readonly properties?: Readonly<Record<string, FieldSchema>>;
    readonly items?: FieldSchema;
    readonly additionalProperties?: FieldSchema;
    readonly required?: readonly string[];
    readonly enum?: readonly unknown[];
    readonly default?: unknown;
    readonly nullable?: boolean;
}

/** The schemas of managed kinds by kind, version and group: `Bucket.v1.storage.example.org`. */
export const schemas: Readonly<Record<string, FieldSchema>> = {
    "InstanceMapping.v1alpha1.inventory.hana.m.orchestrate.cloud.sap": {
        "type": "object",
        "required": [
            "spec"
        ],
        "properties": {
            "apiVersion": {
                "type": "string"
            },
            "kind": {
                "type": "string"
            },
            "metadata": {
                "type": "object"
            },
            "spec": {
                "type": "object",
                "required": [
                    "forProvider"
                ],
                "properties": {
                    "forProvider": {
                        "type": "object",
                        "required": [
                            "serviceInstanceID",
                            "platform",
                            "primaryID",
                            "adminCredentialsSecretRef"
                        ],
                        "properties": {
                            "serviceInstanceID": {
                                "type": "string"
                            },
                            "platform": {
                                "type": "string",
                                "enum": [
                                    "kubernetes",
                                    "cloudfoundry",
                                    "subaccount-api-access"
                                ]
                            },
                            "primaryID": {
                                "type": "string"
                            },
                            "secondaryID": {
                                "type": "string"
                            },
                            "isDefault": {
                                "type": "boolean",
                                "default": false
                            },
                            "adminCredentialsSecretRef": {
                                "type": "object",
                                "required": [
                                    "key",
                                    "name"
                                ],
                                "properties": {
                                    "name": {
                                        "type": "string"
                                    },
                                    "key": {
                                        "type": "string"
                                    }
                                }
                            }
                        }
                    },
                    "managementPolicies": {
                        "type": "array",
                        "default": [
                            "*"
                        ],
                        "items": {
                            "type": "string",
                            "enum": [
                                "Observe",
                                "Create",
                                "Update",
                                "Delete",
                                "LateInitialize",
                                "*"
                            ]
                        }
                    },
                    "providerConfigRef": {
                        "type": "object",
                        "required": [
                            "kind",
                            "name"
                        ],
                        "default": {
                            "kind": "ClusterProviderConfig",
                            "name": "default"
                        },
                        "properties": {
                            "kind": {
                                "type": "string"
                            },
                            "name": {
                                "type": "string"
                            }
                        }
                    },
                    "writeConnectionSecretToRef": {
                        "type": "object",
                        "required": [
                            "name"
                        ],
                        "properties": {
                            "name": {
                                "type": "string"
                            }
                        }
                    }
                }
            },
            "status": {
                "type": "object",
                "properties": {
                    "atProvider": {
                        "type": "object",
                        "properties": {
                            "mappingExists": {
                                "type": "boolean"
                            },
                            "lastSyncTime": {
                                "type": "string"
                            }
                        }
                    },
                    "conditions": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": [
                                "lastTransitionTime",
                                "reason",
                                "status",
                                "type"
                            ],
                            "properties": {
                                "type": {
                                    "type": "string"
                                },
                                "status": {
                                    "type": "string"
                                },
                                "reason": {
                                    "type": "string"
                                },
                                "message": {
                                    "type": "string"
                                },
                                "lastTransitionTime": {
                                    "type": "string"
                                },
                                "observedGeneration": {
                                    "type": "integer"
                                }
                            }
                        }
                    },
                    "observedGeneration": {
                        "type": "integer"
                    },
                    "lastHandledReconcileAt": {
                        "type": "string"
                    }
                }
            }
        }
    },
    "InstanceMapping.v1alpha1.inventory.hana.orchestrate.cloud.sap": {
        "type": "object",
        "required": [
            "spec"
        ],
        "properties": {
            "apiVersion": {
                "type": "string"
            },
            "kind": {
                "type": "string"
            },
            "metadata": {
                "type": "object"
            },
            "spec": {
                "type": "object",
                "required": [
                    "forProvider"
                ],
                "properties": {
                    "forProvider": {
                        "type": "object",
                        "required": [
                            "serviceInstanceID",
                            "platform",
                            "primaryID",
                            "adminCredentialsSecretRef"
                        ],
                        "properties": {
                            "serviceInstanceID": {
                                "type": "string"
                            },
                            "platform": {
                                "type": "string",
                                "enum": [
                                    "kubernetes",
                                    "cloudfoundry",
                                    "subaccount-api-access"
                                ]
                            },
                            "primaryID": {
                                "type": "string"
                            },
                            "secondaryID": {
                                "type": "string"
                            },
                            "isDefault": {
                                "type": "boolean",
                                "default": false
                            },
                            "adminCredentialsSecretRef": {
                                "type": "object",
                                "required": [
                                    "key",
                                    "name",
                                    "namespace"
                                ],
                                "properties": {
                                    "name": {
                                        "type": "string"
                                    },
                                    "namespace": {
                                        "type": "string"
                                    },
                                    "key": {
                                        "type": "string"
                                    }
                                }
                            }
                        }
                    },
                    "managementPolicies": {
                        "type": "array",
                        "default": [
                            "*"
                        ],
                        "items": {
                            "type": "string",
                            "enum": [
                                "Observe",
                                "Create",
                                "Update",
                                "Delete",
                                "LateInitialize",
                                "*"
                            ]
                        }
                    },
                    "deletionPolicy": {
                        "type": "string",
                        "enum": [
                            "Orphan",
                            "Delete"
                        ],
                        "default": "Delete"
                    },
                    "providerConfigRef": {
                        "type": "object",
                        "required": [
                            "name"
                        ],
                        "default": {
                            "name": "default"
                        },
                        "properties": {
                            "name": {
                                "type": "string"
                            },
                            "policy": {
                                "type": "object",
                                "properties": {
                                    "resolution": {
                                        "type": "string",
                                        "enum": [
                                            "Required",
                                            "Optional"
                                        ],
                                        "default": "Required"
                                    },
                                    "resolve": {
                                        "type": "string",
                                        "enum": [
                                            "Always",
                                            "IfNotPresent"
                                        ]
                                    }
                                }
                            }
                        }
                    },
                    "writeConnectionSecretToRef": {
                        "type": "object",
                        "required": [
                            "name",
                            "namespace"
                        ],
                        "properties": {
                            "name": {
                                "type": "string"
                            },
                            "namespace": {
                                "type": "string"
                            }
                        }
                    },
                    "publishConnectionDetailsTo": {
                        "type": "object",
                        "required": [
                            "name"
                        ],
                        "properties": {
                            "name": {
                                "type": "string"
                            },
                            "configRef": {
                                "type": "object",
                                "required": [
                                    "name"
                                ],
                                "default": {
                                    "name": "default"
                                },
                                "properties": {
                                    "name": {
                                        "type": "string"
                                    },
                                    "policy": {
                                        "type": "object",
                                        "properties": {
                                            "resolution": {
                                                "type": "string",
                                                "enum": [
                                                    "Required",
                                                    "Optional"
                                                ],
                                                "default": "Required"
                                            },
                                            "resolve": {
                                                "type": "string",
                                                "enum": [
                                                    "Always",
                                                    "IfNotPresent"
                                                ]
                                            }
                                        }
                                    }
                                }
                            },
                            "metadata": {
                                "type": "object",
                                "properties": {
                                    "labels": {
                                        "type": "object",
                                        "additionalProperties": {
                                            "type": "string"
                                        }
                                    },
                                    "annotations": {
                                        "type": "object",
                                        "additionalProperties": {
                                            "type": "string"
                                        }
                                    },
                                    "type": {
                                        "type": "string"
                                    }
                                }
                            }
                        }
                    }
                }
            },
            "status": {
                "type": "object",
                "properties": {
                    "atProvider": {
                        "type": "object",
                        "properties": {
                            "mappingExists": {
                                "type": "boolean"
                            },
                            "lastSyncTime": {
                                "type": "string"
                            }
                        }
                    },
                    "conditions": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": [
                                "lastTransitionTime",
                                "reason",
                                "status",
                                "type"
                            ],
                            "properties": {
                                "type": {
                                    "type": "string"
                                },
                                "status": {
                                    "type": "string"
                                },
                                "reason": {
                                    "type": "string"
                                },
                                "message": {
                                    "type": "string"
                                },
                                "lastTransitionTime": {
                                    "type": "string"
                                },
                                "observedGeneration": {
                                    "type": "integer"
                                }
                            }
                        }
                    },
                    "observedGeneration": {
                        "type": "integer"
                    },
                    "lastHandledReconcileAt": {
                        "type": "string"
                    }
                }
            }
        }
    },
    "KymaCluster.v1alpha1.reconciler.kyma-project.io": {
        "type": "object",
        "required": [
            "spec"
        ],
        "properties": {
            "apiVersion": {
                "type": "string"
            },
            "kind": {
                "type": "string"
            },
            "metadata": {
                "type": "object"
            },
            "spec": {
                "type": "object",
                "required": [
                    "forProvider"
                ],
                "properties": {
                    "forProvider": {
                        "type": "object",
                        "required": [
                            "version"
                        ],
                        "properties": {
                            "runtimeID": {
                                "type": "string"
                            },
                            "name": {
                                "type": "string"
                            },
                            "kubeconfigSecretRef": {
                                "type": "object",
                                "required": [
                                    "name",
                                    "namespace"
                                ],
                                "properties": {
                                    "name": {
                                        "type": "string"
                                    },
                                    "namespace": {
                                        "type": "string"
                                    },
                                    "key": {
                                        "type": "string",
                                        "default": "config"
                                    }
                                }
                            },
                            "version": {
                                "type": "string"
                            },
                            "profile": {
                                "type": "string"
                            },
                            "administrators": {
                                "type": "array",
                                "items": {
                                    "type": "string"
                                }
                            },
                            "components": {
                                "type": "array",
                                "items": {
                                    "type": "object",
                                    "required": [
                                        "component"
                                    ],
                                    "properties": {
                                        "component": {
                                            "type": "string"
                                        },
                                        "namespace": {
                                            "type": "string",
                                            "default": "kyma-system"
                                        },
                                        "version": {
                                            "type": "string"
                                        },
                                        "url": {
                                            "type": "string"
                                        },
                                        "configuration": {
                                            "type": "array",
                                            "items": {
                                                "type": "object",
                                                "required": [
                                                    "key",
                                                    "value"
                                                ],
                                                "properties": {
                                                    "key": {
                                                        "type": "string"
                                                    },
                                                    "value": {
                                                        "type": "string"
                                                    },
                                                    "format": {
                                                        "type": "string",
                                                        "enum": [
                                                            "Text",
                                                            "JSON"
                                                        ],
                                                        "default": "Text"
                                                    }
                                                }
                                            }
                                        }
                                    }
                                }
                            },
                            "metadata": {
                                "type": "object",
                                "properties": {
                                    "globalAccountID": {
                                        "type": "string"
                                    },
                                    "subAccountID": {
                                        "type": "string"
                                    },
                                    "serviceID": {
                                        "type": "string"
                                    },
                                    "servicePlanID": {
                                        "type": "string"
                                    },
                                    "servicePlanName": {
                                        "type": "string"
                                    },
                                    "shootName": {
                                        "type": "string"
                                    },
                                    "instanceID": {
                                        "type": "string"
                                    },
                                    "region": {
                                        "type": "string"
                                    }
                                }
                            }
                        }
                    },
                    "managementPolicies": {
                        "type": "array",
                        "default": [
                            "*"
                        ],
                        "items": {
                            "type": "string",
                            "enum": [
                                "Observe",
                                "Create",
                                "Update",
                                "Delete",
                                "LateInitialize",
                                "*"
                            ]
                        }
                    },
                    "deletionPolicy": {
                        "type": "string",
                        "enum": [
                            "Orphan",
                            "Delete"
                        ],
                        "default": "Delete"
                    },
                    "providerConfigRef": {
                        "type": "object",
                        "required": [
                            "name"
                        ],
                        "default": {
                            "name": "default"
                        },
                        "properties": {
                            "name": {
                                "type": "string"
                            },
                            "policy": {
                                "type": "object",
                                "properties": {
                                    "resolution": {
                                        "type": "string",
                                        "enum": [
                                            "Required",
                                            "Optional"
                                        ],
                                        "default": "Required"
                                    },
                                    "resolve": {
                                        "type": "string",
                                        "enum": [
                                            "Always",
                                            "IfNotPresent"
                                        ]
                                    }
                                }
                            }
                        }
                    },
                    "writeConnectionSecretToRef": {
                        "type": "object",
                        "required": [
                            "name",
                            "namespace"
                        ],
                        "properties": {
                            "name": {
                                "type": "string"
                            },
                            "namespace": {
                                "type": "string"
                            }
                        }
                    }
                }
            },
            "status": {
                "type": "object",
                "properties": {
                    "atProvider": {
                        "type": "object",
                        "properties": {
                            "status": {
                                "type": "string"
                            },
                            "statusURL": {
                                "type": "string"
                            },
                            "readyConfigurationVersion": {
                                "type": "integer"
                            },
                            "clusterVersion": {
                                "type": "integer"
                            },
                            "configurationVersion": {
                                "type": "integer"
                            },
                            "kymaVersion": {
                                "type": "string"
                            },
                            "kubeconfigDigest": {
                                "type": "string"
                            },
                            "failures": {
                                "type": "array",
                                "items": {
                                    "type": "object",
                                    "required": [
                                        "component",
                                        "reason"
                                    ],
                                    "properties": {
                                        "component": {
                                            "type": "string"
                                        },
                                        "reason": {
                                            "type": "string"
                                        }
                                    }
                                }
                            }
                        }
                    },
                    "conditions": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": [
                                "lastTransitionTime",
                                "reason",
                                "status",
                                "type"
                            ],
                            "properties": {
                                "type": {
                                    "type": "string"
                                },
                                "status": {
                                    "type": "string"
                                },
                                "reason": {
                                    "type": "string"
                                },
                                "message": {
                                    "type": "string"
                                },
                                "lastTransitionTime": {
                                    "type": "string"
                                },
                                "observedGeneration": {
                                    "type": "integer"
                                }
                            }
                        }
                    },
                    "observedGeneration": {
                        "type": "integer"
                    },
                    "lastHandledReconcileAt": {
                        "type": "string"
                    }
                }
            }
        }
    },
    "KymaCluster.v1alpha1.reconciler.m.kyma-project.io": {
        "type": "object",
        "required": [
            "spec"
        ],
        "properties": {
            "apiVersion": {
                "type": "string"
            },
            "kind": {
                "type": "string"
            },
            "metadata": {
                "type": "object"
            },
            "spec": {
                "type": "object",
                "required": [
                    "forProvider"
                ],
                "properties": {
                    "forProvider": {
                        "type": "object",
                        "required": [
                            "version"
                        ],
                        "properties": {
                            "runtimeID": {
                                "type": "string"
                            },
                            "name": {
                                "type": "string"
                            },
                            "kubeconfigSecretRef": {
                                "type": "object",
                                "required": [
                                    "name"
                                ],
                                "properties": {
                                    "name": {
                                        "type": "string"
                                    },
                                    "key": {
                                        "type": "string",
                                        "default": "config"
                                    }
                                }
                            },
                            "version": {
                                "type": "string"
                            },
                            "profile": {
                                "type": "string"
                            },
                            "administrators": {
                                "type": "array",
                                "items": {
                                    "type": "string"
                                }
                            },
                            "components": {
                                "type": "array",
                                "items": {
                                    "type": "object",
                                    "required": [
                                        "component"
                                    ],
                                    "properties": {
                                        "component": {
                                            "type": "string"
                                        },
                                        "namespace": {
                                            "type": "string",
                                            "default": "kyma-system"
                                        },
                                        "version": {
                                            "type": "string"
                                        },
                                        "url": {
                                            "type": "string"
                                        },
                                        "configuration": {
                                            "type": "array",
                                            "items": {
                                                "type": "object",
                                                "required": [
                                                    "key",
                                                    "value"
                                                ],
                                                "properties": {
                                                    "key": {
                                                        "type": "string"
                                                    },
                                                    "value": {
                                                        "type": "string"
                                                    },
                                                    "format": {
                                                        "type": "string",
                                                        "enum": [
                                                            "Text",
                                                            "JSON"
                                                        ],
                                                        "default": "Text"
                                                    }
                                                }
                                            }
                                        }
                                    }
                                }
                            },
                            "metadata": {
                                "type": "object",
                                "properties": {
                                    "globalAccountID": {
                                        "type": "string"
                                    },
                                    "subAccountID": {
                                        "type": "string"
                                    },
                                    "serviceID": {
                                        "type": "string"
                                    },
                                    "servicePlanID": {
                                        "type": "string"
                                    },
                                    "servicePlanName": {
                                        "type": "string"
                                    },
                                    "shootName": {
                                        "type": "string"
                                    },
                                    "instanceID": {
                                        "type": "string"
                                    },
                                    "region": {
                                        "type": "string"
                                    }
                                }
                            }
                        }
                    },
                    "managementPolicies": {
                        "type": "array",
                        "default": [
                            "*"
                        ],
                        "items": {
                            "type": "string",
                            "enum": [
                                "Observe",
                                "Create",
                                "Update",
                                "Delete",
                                "LateInitialize",
                                "*"
                            ]
                        }
                    },
                    "providerConfigRef": {
                        "type": "object",
                        "required": [
                            "kind",
                            "name"
                        ],
                        "default": {
                            "kind": "ClusterProviderConfig",
                            "name": "default"
                        },
                        "properties": {
                            "kind": {
                                "type": "string"
                            },
                            "name": {
                                "type": "string"
                            }
                        }
                    },
                    "writeConnectionSecretToRef": {
                        "type": "object",
                        "required": [
                            "name"
                        ],
                        "properties": {
                            "name": {
                                "type": "string"
                            }
                        }
                    }
                }
            },
            "status": {
                "type": "object",
                "properties": {
                    "atProvider": {
                        "type": "object",
                        "properties": {
                            "status": {
                                "type": "string"
                            },
                            "statusURL": {
                                "type": "string"
                            },
                            "readyConfigurationVersion": {
                                "type": "integer"
                            },
                            "clusterVersion": {
                                "type": "integer"
                            },
                            "configurationVersion": {
                                "type": "integer"
                            },
                            "kymaVersion": {
                                "type": "string"
                            },
                            "kubeconfigDigest": {
                                "type": "string"
                            },
                            "failures": {
                                "type": "array",
                                "items": {
                                    "type": "object",
                                    "required": [
                                        "component",
                                        "reason"
                                    ],
                                    "properties": {
                                        "component": {
                                            "type": "string"
                                        },
                                        "reason": {
                                            "type": "string"
                                        }
                                    }
                                }
                            }
                        }
                    },
                    "conditions": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": [
                                "lastTransitionTime",
                                "reason",
                                "status",
                                "type"
                            ],
                            "properties": {
                                "type": {
                                    "type": "string"
                                },
                                "status": {
                                    "type": "string"
                                },
                                "reason": {
                                    "type": "string"
                                },
                                "message": {
                                    "type": "string"
                                },
                                "lastTransitionTime": {
                                    "type": "string"
                                },
                                "observedGeneration": {
                                    "type": "integer"
                                }
                            }
                        }
                    },
                    "observedGeneration": {
                        "type": "integer"
                    },
                    "lastHandledReconcileAt": {
                        "type": "string"
                    }
                }
            }
        }
    },
    "KymaInstanceMapping.v1alpha1.inventory.hana.m.orchestrate.cloud.sap": {
        "type": "object",
        "required": [
            "spec"
        ],
        "properties": {
            "apiVersion": {
                "type": "string"
            },
            "kind": {
                "type": "string"
            },
            "metadata": {
                "type": "object"
            },
            "spec": {
                "type": "object",
                "required": [
                    "forProvider"
                ],
                "properties": {
                    "forProvider": {
                        "type": "object",
                        "required": [
                            "serviceInstanceRef",
                            "adminBindingRef"
                        ],
                        "properties": {
                            "kymaConnectionRef": {
                                "type": "object",
                                "required": [
                                    "secretRef"
                                ],
                                "properties": {
                                    "secretRef": {
                                        "type": "object",
                                        "required": [
                                            "name"
                                        ],
                                        "properties": {
                                            "name": {
                                                "type": "string"
                                            }
                                        }
                                    },
                                    "kubeconfigKey": {
                                        "type": "string",
                                        "default": "kubeconfig"
                                    }
                                }
                            },
                            "serviceInstanceRef": {
                                "type": "object",
                                "required": [
                                    "name"
                                ],
                                "properties": {
                                    "name": {
                                        "type": "string"
                                    },
                                    "namespace": {
                                        "type": "string"
                                    }
                                }
                            },
                            "adminBindingRef": {
                                "type": "object",
                                "required": [
                                    "name"
                                ],
                                "properties": {
                                    "name": {
                                        "type": "string"
                                    },
                                    "namespace": {
                                        "type": "string"
                                    }
                                }
                            },
                            "targetNamespace": {
                                "type": "string"
                            },
                            "clusterIdConfigMapRef": {
                                "type": "object",
                                "required": [
                                    "name"
                                ],
                                "properties": {
                                    "name": {
                                        "type": "string"
                                    },
                                    "namespace": {
                                        "type": "string"
                                    }
                                }
                            },
                            "isDefault": {
                                "type": "boolean",
                                "default": false
                            }
                        }
                    },
                    "managementPolicies": {
                        "type": "array",
                        "default": [
                            "*"
                        ],
                        "items": {
                            "type": "string",
                            "enum": [
                                "Observe",
                                "Create",
                                "Update",
                                "Delete",
                                "LateInitialize",
                                "*"
                            ]
                        }
                    },
                    "providerConfigRef": {
                        "type": "object",
                        "required": [
                            "kind",
                            "name"
                        ],
                        "default": {
                            "kind": "ClusterProviderConfig",
                            "name": "default"
                        },
                        "properties": {
                            "kind": {
                                "type": "string"
                            },
                            "name": {
                                "type": "string"
                            }
                        }
                    },
                    "writeConnectionSecretToRef": {
                        "type": "object",
                        "required": [
                            "name"
                        ],
                        "properties": {
                            "name": {
                                "type": "string"
                            }
                        }
                    }
                }
            },
            "status": {
                "type": "object",
                "properties": {
                    "atProvider": {
                        "type": "object",
                        "properties": {
                            "kyma": {
                                "type": "object",
                                "properties": {
                                    "serviceInstanceID": {
                                        "type": "string"
                                    },
                                    "serviceInstanceName": {
                                        "type": "string"
                                    },
                                    "serviceInstanceReady": {
                                        "type": "boolean"
                                    },
                                    "clusterID": {
                                        "type": "string"
                                    }
                                }
                            },
                            "hana": {
                                "type": "object",
                                "properties": {
                                    "mappingId": {
                                        "type": "object",
                                        "required": [
                                            "primaryID",
                                            "serviceInstanceID"
                                        ],
                                        "properties": {
                                            "serviceInstanceID": {
                                                "type": "string"
                                            },
                                            "primaryID": {
                                                "type": "string"
                                            },
                                            "secondaryID": {
                                                "type": "string"
                                            }
                                        }
                                    },
                                    "ready": {
                                        "type": "boolean"
                                    }
                                }
                            }
                        }
                    },
                    "conditions": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": [
                                "lastTransitionTime",
                                "reason",
                                "status",
                                "type"
                            ],
                            "properties": {
                                "type": {
                                    "type": "string"
                                },
                                "status": {
                                    "type": "string"
                                },
                                "reason": {
                                    "type": "string"
                                },
                                "message": {
                                    "type": "string"
                                },
                                "lastTransitionTime": {
                                    "type": "string"
                                },
                                "observedGeneration": {
                                    "type": "integer"
                                }
                            }
                        }
                    },
                    "observedGeneration": {
                        "type": "integer"
                    },
                    "lastHandledReconcileAt": {
                        "type": "string"
                    }
                }
            }
        }
    },
    "KymaInstanceMapping.v1alpha1.inventory.hana.orchestrate.cloud.sap": {
        "type": "object",
        "required": [
            "spec"
        ],
        "properties": {
            "apiVersion": {
                "type": "string"
            },
            "kind": {
                "type": "string"
            },
            "metadata": {
                "type": "object"
            },
            "spec": {
                "type": "object",
                "required": [
                    "forProvider"
                ],
                "properties": {
                    "forProvider": {
                        "type": "object",
                        "required": [
                            "serviceInstanceRef",
                            "adminBindingRef"
                        ],
                        "properties": {
                            "kymaConnectionRef": {
                                "type": "object",
                                "required": [
                                    "secretRef"
                                ],
                                "properties": {
                                    "secretRef": {
                                        "type": "object",
                                        "required": [
                                            "name",
                                            "namespace"
                                        ],
                                        "properties": {
                                            "name": {
                                                "type": "string"
                                            },
                                            "namespace": {
                                                "type": "string"
                                            }
                                        }
                                    },
                                    "kubeconfigKey": {
                                        "type": "string",
                                        "default": "kubeconfig"
                                    }
                                }
                            },
                            "serviceInstanceRef": {
                                "type": "object",
                                "required": [
                                    "name",
                                    "namespace"
                                ],
                                "properties": {
                                    "name": {
                                        "type": "string"
                                    },
                                    "namespace": {
                                        "type": "string"
                                    }
                                }
                            },
                            "adminBindingRef": {
                                "type": "object",
                                "required": [
                                    "name",
                                    "namespace"
                                ],
                                "properties": {
                                    "name": {
                                        "type": "string"
                                    },
                                    "namespace": {
                                        "type": "string"
                                    }
                                }
                            },
                            "targetNamespace": {
                                "type": "string"
                            },
                            "clusterIdConfigMapRef": {
                                "type": "object",
                                "required": [
                                    "name",
                                    "namespace"
                                ],
                                "properties": {
                                    "name": {
                                        "type": "string"
                                    },
                                    "namespace": {
                                        "type": "string"
                                    }
                                }
                            },
                            "isDefault": {
                                "type": "boolean",
                                "default": false
                            },
                            "credentialsSecretNamespace": {
                                "type": "string"
                            }
                        }
                    },
                    "managementPolicies": {
                        "type": "array",
                        "default": [
                            "*"
                        ],
                        "items": {
                            "type": "string",
                            "enum": [
                                "Observe",
                                "Create",
                                "Update",
                                "Delete",
                                "LateInitialize",
                                "*"
                            ]
                        }
                    },
                    "deletionPolicy": {
                        "type": "string",
                        "enum": [
                            "Orphan",
                            "Delete"
                        ],
                        "default": "Delete"
                    },
                    "providerConfigRef": {
                        "type": "object",
                        "required": [
                            "name"
                        ],
                        "default": {
                            "name": "default"
                        },
                        "properties": {
                            "name": {
                                "type": "string"
                            },
                            "policy": {
                                "type": "object",
                                "properties": {
                                    "resolution": {
                                        "type": "string",
                                        "enum": [
                                            "Required",
                                            "Optional"
                                        ],
                                        "default": "Required"
                                    },
                                    "resolve": {
                                        "type": "string",
                                        "enum": [
                                            "Always",
                                            "IfNotPresent"
                                        ]
                                    }
                                }
                            }
                        }
                    },
                    "writeConnectionSecretToRef": {
                        "type": "object",
                        "required": [
                            "name",
                            "namespace"
                        ],
                        "properties": {
                            "name": {
                                "type": "string"
                            },
                            "namespace": {
                                "type": "string"
                            }
                        }
                    },
                    "publishConnectionDetailsTo": {
                        "type": "object",
                        "required": [
                            "name"
                        ],
                        "properties": {
                            "name": {
                                "type": "string"
                            },
                            "configRef": {
                                "type": "object",
                                "required": [
                                    "name"
                                ],
                                "default": {
                                    "name": "default"
                                },
                                "properties": {
                                    "name": {
                                        "type": "string"
                                    },
                                    "policy": {
                                        "type": "object",
                                        "properties": {
                                            "resolution": {
                                                "type": "string",
                                                "enum": [
                                                    "Required",
                                                    "Optional"
                                                ],
                                                "default": "Required"
                                            },
                                            "resolve": {
                                                "type": "string",
                                                "enum": [
                                                    "Always",
                                                    "IfNotPresent"
                                                ]
                                            }
                                        }
                                    }
                                }
                            },
                            "metadata": {
                                "type": "object",
                                "properties": {
                                    "labels": {
                                        "type": "object",
                                        "additionalProperties": {
                                            "type": "string"
                                        }
                                    },
                                    "annotations": {
                                        "type": "object",
                                        "additionalProperties": {
                                            "type": "string"
                                        }
                                    },
                                    "type": {
                                        "type": "string"
                                    }
                                }
                            }
                        }
                    }
                }
            },
            "status": {
                "type": "object",
                "properties": {
                    "atProvider": {
                        "type": "object",
                        "properties": {
                            "kyma": {
                                "type": "object",
                                "properties": {
                                    "serviceInstanceID": {
                                        "type": "string"
                                    },
                                    "serviceInstanceName": {
                                        "type": "string"
                                    },
                                    "serviceInstanceReady": {
                                        "type": "boolean"
                                    },
                                    "clusterID": {
                                        "type": "string"
                                    }
                                }
                            },
                            "hana": {
                                "type": "object",
                                "properties": {
                                    "mappingId": {
                                        "type": "object",
                                        "required": [
                                            "primaryID",
                                            "serviceInstanceID"
                                        ],
                                        "properties": {
                                            "serviceInstanceID": {
                                                "type": "string"
                                            },
                                            "primaryID": {
                                                "type": "string"
                                            },
                                            "secondaryID": {
                                                "type": "string"
                                            }
                                        }
                                    },
                                    "ready": {
                                        "type": "boolean"
                                    }
                                }
                            },
                            "childResources": {
                                "type": "object",
                                "properties": {
                                    "instanceMappingName": {
                                        "type": "string"
                                    },
                                    "credentialsSecretName": {
                                        "type": "string"
                                    },
                                    "credentialsSecretNamespace": {
                                        "type": "string"
                                    },
                                    "instanceMappingReady": {
                                        "type": "boolean"
                                    },
                                    "instanceMappingSynced": {
                                        "type": "boolean"
                                    }
                                }
                            }
                        }
                    },
                    "conditions": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": [
                                "lastTransitionTime",
                                "reason",
                                "status",
                                "type"
                            ],
                            "properties": {
                                "type": {
                                    "type": "string"
                                },
                                "status": {
                                    "type": "string"
                                },
                                "reason": {
                                    "type": "string"
                                },
                                "message": {
                                    "type": "string"
                                },
                                "lastTransitionTime": {
                                    "type": "string"
                                },
                                "observedGeneration": {
                                    "type": "integer"
                                }
                            }
                        }
                    },
                    "observedGeneration": {
                        "type": "integer"
                    },
                    "lastHandledReconcileAt": {
                        "type": "string"
                    }
                }
            }
        }
    }
};

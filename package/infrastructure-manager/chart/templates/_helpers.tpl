{{- define "selector" -}}
control-plane: infrastructure-manager
app.kubernetes.io/component: infrastructure-manager.kyma-project.io
{{- end }}

{{- define "labels" -}}
{{ include "selector" . }}
app.kubernetes.io/name: infrastructure-manager
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "image" -}}
{{- $image := .Values.image -}}
{{- if not $image.repository -}}
{{- fail "image.repository is required: the repository of the image of provider-kyma" -}}
{{- end -}}
{{- $image.repository -}}
{{- if or $image.tag (not $image.sha) }}:{{ $image.tag | default .Chart.AppVersion }}{{ end -}}
{{- with $image.sha }}@sha256:{{ . }}{{ end -}}
{{- end }}

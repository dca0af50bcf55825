{{- /* Labels of the pods of one part: (dict "root" $ "part" "mothership") */}}
{{- define "selector" -}}
app.kubernetes.io/name: reconciler
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end }}

{{- define "labels" -}}
{{ include "selector" . }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
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

{{- /* Fields of a pod that are the same for all parts */}}
{{- define "pod" -}}
{{- with .Values.podSecurityContext }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- range $field := list "imagePullSecrets" "priorityClassName" "nodeSelector" "tolerations" "affinity" "topologySpreadConstraints" }}
{{- with get $.Values $field }}
{{ $field }}: {{ toJson . }}
{{- end }}
{{- end }}
{{- end }}

{{- define "container" -}}
image: {{ include "image" . | quote }}
imagePullPolicy: IfNotPresent
command: [/usr/local/bin/provider-kyma]
{{- with .Values.securityContext }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
ports:
  - name: http
    containerPort: 8080
livenessProbe:
  httpGet:
    path: /health/live
    port: http
  initialDelaySeconds: 10
  periodSeconds: 20
readinessProbe:
  httpGet:
    path: /health/ready
    port: http
  periodSeconds: 5
{{- end }}

{{- /* Metadata of pods. With `config`, a change of it makes new pods. */}}
{{- define "template-metadata" -}}
{{- $annotations := deepCopy .root.Values.podAnnotations }}
{{- with .config }}
{{- $_ := set $annotations "checksum/config" (toJson . | sha256sum) }}
{{- end }}
{{- with $annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
labels:
  {{- include "labels" . | nindent 2 }}
  {{- with .root.Values.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- /* Name of the Secret with the token of tasks */}}
{{- define "component-token" -}}
{{- .Values.componentTokenSecret.name | default (printf "%s-component-token" .Release.Name) -}}
{{- end }}

{{- define "component-token-volume" -}}
- name: component-token
  secret:
    secretName: {{ include "component-token" . }}
    items:
      - key: {{ ternary .Values.componentTokenSecret.key "token" (ne .Values.componentTokenSecret.name "") }}
        path: token
{{- end }}

package extensions

import "slices"

// Generated is an element of generated.extensions, which the service reads from plugin.json.
type Generated struct {
	PointID     string `json:"extensionPointId"`
	Type        Type   `json:"type"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
}

// Generated returns the links and components. The service does not support functions or
// exposed components.
func (r *Result) Generated() []Generated {
	list := []Generated{}
	for _, e := range r.Extensions {
		if e.Type != Function {
			list = append(list, Generated{e.PointID, e.Type, e.Title, e.Description})
		}
	}
	return list
}

// Declared is the key extensions of plugin.json, which Grafana reads.
type Declared struct {
	AddedLinks        []Added       `json:"addedLinks,omitempty"`
	AddedComponents   []Added       `json:"addedComponents,omitempty"`
	AddedFunctions    []Added       `json:"addedFunctions,omitempty"`
	ExposedComponents []ExposedMeta `json:"exposedComponents,omitempty"`
}

// Added is an extension with all of its targets.
type Added struct {
	Targets     []string `json:"targets"`
	Title       string   `json:"title"`
	Description string   `json:"description,omitempty"`
}

// ExposedMeta is an exposed component.
type ExposedMeta struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
}

// Declared returns everything. Extensions that are registered at one place and differ only
// in their targets are one element.
func (r *Result) Declared() Declared {
	var d Declared
	for i, e := range r.Extensions {
		list := &d.AddedLinks
		switch e.Type {
		case Component:
			list = &d.AddedComponents
		case Function:
			list = &d.AddedFunctions
		}
		if i > 0 && len(*list) > 0 {
			previous := r.Extensions[i-1]
			last := &(*list)[len(*list)-1]
			target := previous.PointID
			previous.PointID = e.PointID
			if previous == e && target != e.PointID && !slices.Contains(last.Targets, e.PointID) {
				last.Targets = append(last.Targets, e.PointID)
				continue
			}
		}
		*list = append(*list, Added{[]string{e.PointID}, e.Title, e.Description})
	}
	for _, e := range r.Exposed {
		d.ExposedComponents = append(d.ExposedComponents, ExposedMeta{e.ID, e.Title, e.Description})
	}
	return d
}

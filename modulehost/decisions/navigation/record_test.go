package navigation_test

import (
	"slices"
	"testing"
)

// The activity tells which module or group was changed and how.
func TestRecordedChanges(t *testing.T) {
	t.Parallel()
	h := setup(t)
	h.mustSend(t,
		`PUT groups/music {"label":"Music","order":1}`,
		`PUT groups/music {"label":"Music","order":1}`, // changes nothing
		`PUT groups/music {"label":"Choir","order":2}`,
		`PUT groups/music {"label":"Choir","order":3}`,
		`PUT placements/ant {"groupId":"music","order":1}`,
		`PUT placements/ant {"groupId":"music","order":2}`,
		`PUT placements/ant {"groupId":null,"order":2}`,
		`PUT placements/bee {"groupId":null,"order":1}`,
		`DELETE placements/ant`,
		`DELETE groups/music`,
	)
	want := []string{
		`{"what": "groupAdded", "groupId": "music"}`,
		`{"what": "groupRenamed", "groupId": "music"}`,
		`{"what": "groupMoved", "groupId": "music"}`,
		`{"what": "modulePlaced", "groupId": "music", "moduleId": "ant"}`,
		`{"what": "moduleMoved", "groupId": "music", "moduleId": "ant"}`,
		`{"what": "modulePlaced", "moduleId": "ant"}`,
		`{"what": "moduleMoved", "moduleId": "bee"}`,
		`{"what": "moduleUnplaced", "moduleId": "ant"}`,
		`{"what": "groupDeleted", "groupId": "music"}`,
	}
	var got []string
	if err := h.pool.QueryRow(t.Context(), `
		SELECT array_agg((entry::jsonb -> 'details')::text ORDER BY number)
		FROM core.activity`).Scan(&got); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("recorded %q, want %q", got, want)
	}
}

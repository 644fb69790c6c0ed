package e2e

import (
	"encoding/json"
	"testing"
)

// TestManyServicesAtOneMoment: the rota has all services, also if more start at the same moment than one call
// of the module that plans them returns.
func TestManyServicesAtOneMoment(t *testing.T) {
	t.Parallel()
	i := install(t, "stage", "rota")
	i.environment["SERVICE_MODULE_SECRET__ROTA__LINK_SIGNING_KEY"] = "a key of this test alone, long enough"
	i.db.Exec(t, `INSERT INTO core.module_configuration_document (module_id) VALUES ('rota')
		ON CONFLICT DO NOTHING`)
	i.db.Exec(t, `INSERT INTO core.module_configuration (module_id, key, value) VALUES
		('rota', 'teamName', 'Office'), ('rota', 'dashboardLink', 'https://example.org')`)
	i.start(t)
	const earlier, atOnce, later = 30, 140, 20
	i.db.Exec(t, `
		INSERT INTO module_stage.services (title, starts_at)
		SELECT 'Earlier', current_date + interval '1 day' + n * interval '1 minute'
		FROM generate_series(1, $1::int) AS n
		UNION ALL
		SELECT 'At once', current_date + interval '7 days' FROM generate_series(1, $2::int)
		UNION ALL
		SELECT 'Later', current_date + interval '8 days' + n * interval '1 minute'
		FROM generate_series(1, $3::int) AS n`,
		earlier, atOnce, later)
	owner := i.signIn(t, ownerAddress, ownerPassword)
	var board struct {
		Weeks []struct {
			Services []struct{ ID, Title string }
		}
	}
	response := owner.do("GET", "/api/v1/modules/rota/board", nil)
	if err := json.Unmarshal([]byte(response.body), &board); err != nil || response.status != 200 {
		t.Fatalf("GET /board: status %d, body %.200s", response.status, response.body)
	}
	titles, ids := make(map[string]int), make(map[string]bool)
	for _, week := range board.Weeks {
		for _, service := range week.Services {
			titles[service.Title]++
			ids[service.ID] = true
		}
	}
	if titles["Earlier"] != earlier || titles["At once"] != atOnce || titles["Later"] != later ||
		len(ids) != earlier+atOnce+later {
		t.Errorf("the board has %v, want %d earlier ones, %d at once and %d later, each one once",
			titles, earlier, atOnce, later)
	}
}

package sample

// planned is an item of an order of service, as POST /services/{id}/items expects it, but with the title of
// its song.
type planned struct {
	Kind    string  `json:"kind"`
	Title   string  `json:"title"`
	Text    string  `json:"text"`
	SongID  *string `json:"songId"`
	Seconds int     `json:"seconds"`
	song    string
}

const (
	holy      = "Holy, Holy, Holy"
	grace     = "Amazing Grace"
	emmanuel  = "O Come, O Come, Emmanuel"
	faithful  = "O Come, All Ye Faithful"
	joy       = "Joy to the World"
	silent    = "Silent Night"
	lunchNote = "Shared lunch next Sunday.\nChoir practice on Thursday at 19:00."
)

// The orders of the first Sundays, outside Advent.
var ordinary = [][]planned{
	sundayOrder(holy, grace, "Psalm 23", psalm23, "Sermon: The good shepherd"),
	sundayOrder(grace, holy, "Psalm 121", psalm121, "Sermon: Help from the hills"),
	sundayOrder(holy, grace, "1 Corinthians 13", corinthians13, "Sermon: The greatest of these"),
	sundayOrder(grace, holy, "Psalm 100", psalm100, "Sermon: With gladness"),
}

var (
	nativity = []planned{
		song(faithful), {Kind: "talk", Title: "Welcome", Seconds: 120},
		{Kind: "talk", Title: "Nativity play", Text: "The children, with Miriam", Seconds: 1500},
		song(silent), {Kind: "talk", Title: "Blessing", Seconds: 60},
	}
	candlelight = []planned{
		song(emmanuel), {Kind: "reading", Title: "Luke 2", Text: luke2, Seconds: 180},
		{Kind: "talk", Title: "Sermon: Peace on earth", Seconds: 900}, song(silent),
		{Kind: "talk", Title: "Blessing", Seconds: 60},
	}
	christmasDay = []planned{
		song(joy), {Kind: "reading", Title: "Luke 2", Text: luke2, Seconds: 180},
		{Kind: "talk", Title: "Sermon", Seconds: 1200}, song(faithful),
	}
	newYearsEve = []planned{
		song(grace), {Kind: "reading", Title: "Psalm 121", Text: psalm121, Seconds: 120},
		{Kind: "talk", Title: "Looking back", Seconds: 900},
	}
)

// advent returns the order of a Sunday of Advent, the first of which is 0.
func advent(week int) []planned {
	readings := []struct{ title, text, sermon string }{
		{"Psalm 24", psalm24, "Sermon: Lift up your heads"}, {"Isaiah 40", isaiah40, "Sermon: Prepare the way"},
		{"Psalm 121", psalm121, "Sermon: Help from the hills"}, {"Luke 1", luke1, "Sermon: Mary's song"},
	}
	r := readings[week]
	return sundayOrder(emmanuel, joy, r.title, r.text, r.sermon)
}

func sundayOrder(first, last, reading, text, sermon string) []planned {
	return []planned{
		{Kind: "notice", Title: "Welcome", Text: "Good that you are here.", Seconds: 120},
		song(first), {Kind: "talk", Title: "Prayer", Seconds: 180},
		{Kind: "reading", Title: reading, Text: text, Seconds: 180}, {Kind: "talk", Title: sermon, Seconds: 1500},
		song(last), {Kind: "notice", Title: "Notices", Text: lunchNote, Seconds: 300},
		{Kind: "talk", Title: "Blessing", Seconds: 60},
	}
}

func song(title string) planned { return planned{Kind: "song", song: title, Seconds: 240} }

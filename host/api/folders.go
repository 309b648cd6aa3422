package api

import (
	"net/http"

	"github.com/slipway-dev/slipway/host"
)

func (a *API) folderRoutes() []Route {
	const all, one = "folders:uid:*", "folders:uid:{uid}"
	create := Action(host.ActionFoldersCreate, host.ActionFoldersWrite)
	remove := Action(host.ActionFoldersDelete, host.ActionFoldersWrite)
	return []Route{
		{"GET", "/api/folders", Action(host.ActionFoldersRead).On(all), a.folders,
			Doc{Summary: "List folders", Query: []string{"limit int", "page int"}, Answer: []folder{}}},
		{"POST", "/api/folders", create.On(all), a.createFolder,
			Doc{Summary: "Create a folder", Body: folderBody{}, Answer: folder{}}},
		{"GET", "/api/folders/{uid}", Action(host.ActionFoldersRead).On(one), a.folder,
			Doc{Summary: "Read a folder", Answer: folder{}}},
		{"PUT", "/api/folders/{uid}", Action(host.ActionFoldersWrite).On(one), a.renameFolder,
			Doc{Summary: "Rename a folder", Body: folderTitle{}, Answer: folder{}}},
		{"DELETE", "/api/folders/{uid}", remove.On(one), a.deleteFolder,
			Doc{Summary: "Delete a folder and the dashboards in it", Answer: deleted{}}},
	}
}

type folder struct {
	ID    int64  `json:"id"`
	UID   string `json:"uid"`
	Title string `json:"title"`
}

func folderOf(f host.Folder) folder { return folder(f) }

type folderTitle struct {
	Title string `json:"title" jsonschema:"required"`
}

type folderBody struct {
	UID string `json:"uid"`
	folderTitle
}

// deleted is the answer about a folder or a dashboard that was there.
type deleted struct {
	message
	ID    int64  `json:"id"`
	Title string `json:"title"`
}

func (a *API) folders(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	values, err := query(r)
	if err != nil {
		return err
	}
	page, err := page(values, "limit")
	if err != nil {
		return err
	}
	found, err := a.store.Folders(r.Context(), who.OrgID, page)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, mapped(found, folderOf))
}

func (a *API) folder(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	uid, err := pathUID(r, "Folder")
	if err != nil {
		return err
	}
	f, err := a.store.Folder(r.Context(), who.OrgID, uid)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, folderOf(f))
}

func (a *API) createFolder(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	body, err := decode[folderBody](w, r)
	if err != nil {
		return err
	}
	f, err := a.store.CreateFolder(r.Context(), who.OrgID, host.Folder{UID: body.UID, Title: body.Title})
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, folderOf(f))
}

func (a *API) renameFolder(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	uid, err := pathUID(r, "Folder")
	if err != nil {
		return err
	}
	body, err := decode[folderTitle](w, r)
	if err != nil {
		return err
	}
	f, err := a.store.RenameFolder(r.Context(), who.OrgID, host.Folder{UID: uid, Title: body.Title})
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, folderOf(f))
}

func (a *API) deleteFolder(w http.ResponseWriter, r *http.Request, who host.Identity) error {
	uid, err := pathUID(r, "Folder")
	if err != nil {
		return err
	}
	f, err := a.store.DeleteFolder(r.Context(), who.OrgID, uid)
	if err != nil {
		return err
	}
	return answer(w, http.StatusOK, deleted{message{Message: "Folder deleted"}, f.ID, f.Title})
}
